import type { ChainError } from '../../base/errors.js';

/**
 * Every way in which this node ends a connection, by code. `closing_connection` carries text and code; logs and metrics
 * the code. Where the reference has a text for the case, it is that text.
 */

/** `note`: the other side is told; `fault`: told, and that it is to blame; `silent`: nothing can be told. */
export type Manner = 'note' | 'fault' | 'silent';

interface ReasonRow {
  readonly text: string;
  readonly manner: Manner;
  /** What it costs the address; at `score_ban` nothing is taken from there for a while. */
  readonly penalty: number;
}

const rows = {
  // Opening.
  key_invalid: { text: 'Your key is no point of the curve', manner: 'silent', penalty: 10 },
  hello_invalid: { text: 'Invalid hello message', manner: 'fault', penalty: 20 },
  hello_signature: { text: 'Invalid signature in hello message', manner: 'note', penalty: 20 },
  hello_repeated: { text: 'Received a unexpected hello_message', manner: 'note', penalty: 10 },
  different_chain: { text: 'You are on a different chain from me', manner: 'note', penalty: 0 },
  rejected_by_us: {
    text: "I rejected your connection request (hello message) so I'm disconnecting",
    manner: 'note',
    penalty: 0,
  },
  rejected_by_peer: {
    text: "You rejected my connection request (hello message) so I'm disconnecting",
    manner: 'note',
    penalty: 0,
  },
  rejected_too_late: { text: 'You rejected a connection that you had accepted', manner: 'fault', penalty: 10 },
  double_connection: { text: "I'm already connected to you", manner: 'note', penalty: 0 },
  handshake_idle: { text: 'You took too long to open the connection', manner: 'silent', penalty: 1 },
  handshake_too_long: { text: 'You took too long to open the connection', manner: 'note', penalty: 5 },
  dial_failed: { text: 'No connection could be made', manner: 'silent', penalty: 0 },
  probe_done: { text: 'You can be reached', manner: 'silent', penalty: 0 },
  probe_failed: { text: 'You cannot be reached', manner: 'silent', penalty: 0 },
  // What is sent.
  frame_too_large: { text: 'You sent a message above the largest size', manner: 'fault', penalty: 50 },
  message_unreadable: { text: 'You sent a message that cannot be read', manner: 'fault', penalty: 40 },
  message_out_of_state: { text: 'You sent a message that has no place yet', manner: 'fault', penalty: 20 },
  message_unknown: { text: "You sent me a message that I didn't request", manner: 'fault', penalty: 40 },
  block_unrequested: { text: "You sent me a block that I didn't ask for", manner: 'fault', penalty: 40 },
  transaction_unrequested: { text: "You sent me a message that I didn't request", manner: 'fault', penalty: 40 },
  message_flood: { text: 'You send more messages than I take', manner: 'fault', penalty: 50 },
  byte_flood: { text: 'You send more bytes that nobody has asked for than I take', manner: 'fault', penalty: 50 },
  request_too_large: { text: 'You asked for too many items at once', manner: 'fault', penalty: 20 },
  item_type_unknown: { text: 'There are no items of that type', manner: 'fault', penalty: 20 },
  // Synchronization.
  ids_invalid: {
    text: 'You gave an invalid response to my request for sync blocks',
    manner: 'fault',
    penalty: 30,
  },
  ids_too_many: {
    text: 'You offered me a list of more sync blocks than could possibly exist',
    manner: 'fault',
    penalty: 30,
  },
  ids_without_end: { text: 'You promise more blocks and list none', manner: 'fault', penalty: 20 },
  ids_late: { text: 'You did not answer my request for block ids', manner: 'silent', penalty: 2 },
  blocks_late: { text: 'You did not send the blocks that I asked for', manner: 'silent', penalty: 2 },
  block_withheld: { text: "You listed a block that you don't have", manner: 'fault', penalty: 20 },
  fork_unreachable: { text: "you are on a fork that I'm unable to switch to", manner: 'note', penalty: 0 },
  sync_block_invalid: { text: 'You offered us a block that we reject as invalid', manner: 'fault', penalty: 60 },
  sync_block_unsigned: { text: 'You offered us a block that we reject as invalid', manner: 'fault', penalty: 0 },
  sync_block_forged: { text: 'You offered us a block that we reject as invalid', manner: 'fault', penalty: 100 },
  /** Somebody else has sent it: it is on the same chain, and need not know what is in the block. */
  invalid_block_listed: { text: 'You offered us a block that we reject as invalid', manner: 'fault', penalty: 0 },
  checkpoint_mismatch: { text: 'Your chain has another block than mine at a checkpoint', manner: 'note', penalty: 0 },
  /** After a switch that failed a reference node lists blocks that do not link, and knows nothing of it. */
  sync_block_unlinkable: { text: 'You offered us a block that we reject as invalid', manner: 'fault', penalty: 0 },
  // Gossip.
  block_invalid: {
    text: 'You offered me a block that I have deemed to be invalid',
    manner: 'fault',
    penalty: 60,
  },
  block_forged: {
    text: 'You offered me a block that I have deemed to be invalid',
    manner: 'fault',
    penalty: 100,
  },
  /** Its transactions lack signatures, which a witness alone can bring about: honest nodes that make no blocks pass it on. */
  block_unsigned: {
    text: 'You offered me a block that I have deemed to be invalid',
    manner: 'fault',
    penalty: 0,
  },
  /** Whose clock is wrong, nobody knows. */
  block_of_the_future: {
    text: 'You offered me a block that I have deemed to be invalid',
    manner: 'fault',
    penalty: 0,
  },
  block_too_old: {
    text: 'You offered me a block that I have deemed to be invalid',
    manner: 'fault',
    penalty: 0,
  },
  item_late: { text: 'You did not send what you had announced', manner: 'silent', penalty: 2 },
  // Life.
  inactive: { text: 'Disconnecting due to inactivity', manner: 'note', penalty: 0 },
  outbox_full: { text: 'You do not take what you have asked for', manner: 'silent', penalty: 5 },
  peer_closing: { text: 'You said that you close', manner: 'silent', penalty: 0 },
  peer_gone: { text: 'You have closed the connection', manner: 'silent', penalty: 0 },
  too_many_connections: { text: 'I have too many connections', manner: 'note', penalty: 0 },
  too_many_handshakes: { text: 'You open connections faster than I take them', manner: 'silent', penalty: 0 },
  banned: { text: 'I take nothing from your address for now', manner: 'note', penalty: 0 },
  shutting_down: { text: 'I am shutting down', manner: 'note', penalty: 0 },
} as const satisfies Readonly<Record<string, ReasonRow>>;

export type ReasonCode = keyof typeof rows;
export const REASONS: Readonly<Record<ReasonCode, ReasonRow>> = rows;

/** What a refused block is, and so what becomes of those who have it. */
export function blockFault({ isOfSigners, isStateless }: ChainError): 'forged' | 'unsigned' | 'invalid' {
  if (isOfSigners) return 'unsigned';
  return isStateless ? 'forged' : 'invalid';
}

/** What the other side reads. */
export function reasonText(code: ReasonCode): string {
  return `${REASONS[code].text} (${code})`;
}
