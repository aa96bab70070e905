import { array } from '../../codec/containers.js';
import type { Json } from '../../codec/json.js';
import { text, time, u32 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import type { ValueOf } from '../../codec/type.js';
import { type EndpointText, parseEndpoint } from '../wire/endpoint.js';

/** What is remembered of an address, over restarts too, with the names that operators know from the reference. */

const DISPOSITIONS = [
  'never_attempted_to_connect',
  'last_connection_failed',
  'last_connection_rejected',
  'last_connection_handshaking_failed',
  'last_connection_succeeded',
] as const;
export type Disposition = (typeof DISPOSITIONS)[number];

const storedRecord = struct('potential_peer_record', {
  endpoint: text,
  last_seen_time: time,
  last_connection_disposition: text,
  last_connection_attempt_time: time,
  number_of_successful_connection_attempts: u32,
  number_of_failed_connection_attempts: u32,
});
const storedRecords = array(storedRecord);

export interface PeerRecord {
  readonly endpoint: EndpointText;
  /** Neighbourhood of who told of it; empty for what the operator has given or this node has seen itself. */
  readonly source: string;
  /** Seconds since 1970. */
  lastSeen: number;
  lastAttempt: number;
  disposition: Disposition;
  succeeded: number;
  failed: number;
  /** Failures since the last success: they decide how long it is left alone. */
  failedInARow: number;
}

export function newRecord(endpoint: EndpointText, source: string, lastSeen: number): PeerRecord {
  return {
    endpoint,
    source,
    lastSeen,
    lastAttempt: 0,
    disposition: 'never_attempted_to_connect',
    succeeded: 0,
    failed: 0,
    failedInARow: 0,
  };
}

const toStored = (record: PeerRecord): ValueOf<typeof storedRecord> => ({
  endpoint: record.endpoint,
  last_seen_time: record.lastSeen,
  last_connection_disposition: record.disposition,
  last_connection_attempt_time: record.lastAttempt,
  number_of_successful_connection_attempts: record.succeeded,
  number_of_failed_connection_attempts: record.failed,
});

export function recordsToJson(records: readonly PeerRecord[]): Json {
  return storedRecords.toJson(records.map(toStored));
}

/** Throws a refusal where the text is none that this node or a reference has written; single odd entries are left out. */
export function recordsFromJson(json: Json): PeerRecord[] {
  const out: PeerRecord[] = [];
  for (const stored of storedRecords.fromJson(json)) {
    const disposition = DISPOSITIONS.find((one) => one === stored.last_connection_disposition);
    if (disposition === undefined || parseEndpoint(stored.endpoint) === undefined) continue;
    const record = newRecord(stored.endpoint, '', stored.last_seen_time);
    record.disposition = disposition;
    record.succeeded = stored.number_of_successful_connection_attempts;
    record.failed = stored.number_of_failed_connection_attempts;
    out.push(record);
  }
  return out;
}
