import { check } from '../../base/errors.js';
import { systemClock } from '../../node/runtime/clock.js';
import { systemRandom } from '../../node/runtime/random.js';
import { GATEWAY_ERRORS } from '../../services/gateway/errors.js';
import { openGatewayDatabase } from '../../services/gateway/gateway.js';
import { makeInvites } from '../../services/gateway/invites.js';
import type { GatewayOptions } from '../../services/gateway/options.js';
import type { Terminal } from '../terminal.js';

const COUNT_MAX = 10_000;

/** The codes are in no file but the one that the operator writes them to. */
export async function printInvites(options: GatewayOptions, count: number, terminal: Terminal): Promise<void> {
  const fits = Number.isInteger(count) && count >= 1 && count <= COUNT_MAX;
  check(fits, GATEWAY_ERRORS.gateway_invite_count, { max: COUNT_MAX });
  const db = await openGatewayDatabase(options);
  try {
    const days = options['invite-days'];
    const codes = await makeInvites(db, { count, days }, { clock: systemClock, random: systemRandom });
    terminal.out(codes.map((code) => `${code}\n`).join(''));
  } finally {
    await db.destroy();
  }
}
