import { check } from '../../base/errors.js';
import type { Clock } from '../../base/world.js';
import { isWorkDone, type WorkSubject } from '../../trade/registration.js';
import { GATEWAY_ERRORS } from './errors.js';
import { hashOfInvite } from './invites.js';
import type { GatewayOptions } from './options.js';

/** What keeps programs from registering thousands of accounts. */

/** How far the time of the work may be from now. */
export const WORK_SEC = 600;

export interface Shown {
  readonly invite: string | undefined;
  readonly work: { readonly time: number; readonly nonce: string } | undefined;
}

/** Hash of the invite code that has to be good; undefined where none is needed. Throws where what is shown does not do. */
export function checkGuard(
  { guard, 'work-bits': bits }: Pick<GatewayOptions, 'guard' | 'work-bits'>,
  { invite, work }: Shown,
  subject: WorkSubject,
  clock: Clock,
): string | undefined {
  if (guard === 'none') return undefined;
  if (invite !== undefined && guard !== 'work') return hashOfInvite(invite);
  check(guard !== 'invite', GATEWAY_ERRORS.gateway_invite, { why: 'this gateway registers by invite code alone' });
  const missing = `work of ${bits} bits has to be done for this name and these keys`;
  check(work !== undefined, GATEWAY_ERRORS.gateway_work, { why: missing });
  const isRecent = Math.abs(clock.nowMs() / 1000 - work.time) <= WORK_SEC;
  check(isRecent, GATEWAY_ERRORS.gateway_work, { why: `the time of the work has to be within ${WORK_SEC} seconds` });
  check(isWorkDone(subject, work, bits), GATEWAY_ERRORS.gateway_work, { why: missing });
  return undefined;
}
