import { text } from '../../codec/scalars.js';
import { timeFromText } from '../../codec/time.js';
import { asObject } from '../node-link.js';
import { relativeTime } from '../text/relative-time.js';
import { type CommandTable, command } from './define.js';

const PARTICIPATION_SLOTS = 128;

/** Ones among the slots of the last few minutes, in percent with the digits of the family. */
function participation(filled: bigint): string {
  let ones = 0;
  for (let bits = filled; bits > 0n; bits >>= 1n) ones += Number(bits & 1n);
  return ((100 * ones) / PARTICIPATION_SLOTS).toFixed(17);
}

export const generalCommands = {
  info: command({
    params: {},
    result: 'variant',
    help: 'Tells how the chain stands as the node sees it: head block, its age, participation, who is active.',
    run: async (wallet) => {
      const [globals, dynamic] = await Promise.all([
        wallet.chain.ask('get_global_properties'),
        wallet.chain.ask('get_dynamic_global_properties'),
      ]);
      const { active_witnesses = null, active_committee_members = null } = asObject(globals, 'get_global_properties');
      const now = wallet.nowSec();
      const head = asObject(dynamic, 'get_dynamic_global_properties');
      return {
        head_block_num: head.head_block_number ?? null,
        head_block_id: head.head_block_id ?? null,
        head_block_age: relativeTime(timeFromText(String(head.time)), now, 'old'),
        next_maintenance_time: relativeTime(timeFromText(String(head.next_maintenance_time)), now),
        chain_id: wallet.chainId,
        participation: participation(BigInt(String(head.recent_slots_filled))),
        active_witnesses,
        active_committee_members,
      };
    },
  }),
  is_new: command({
    params: {},
    result: 'bool',
    help: 'True while no password was ever set.',
    run: (wallet) => wallet.ring.isNew,
  }),
  is_locked: command({
    params: {},
    result: 'bool',
    help: 'True while the private keys are encrypted.',
    run: (wallet) => wallet.ring.isLocked,
  }),
  lock: command({
    params: {},
    result: 'null',
    help: 'Encrypts the private keys and forgets the password.',
    run: (wallet) => {
      wallet.ring.lock();
      return null;
    },
  }),
  unlock: command({
    params: { password: text },
    result: 'null',
    secret: ['password'],
    help: 'Makes the private keys usable until the wallet is locked.',
    run: (wallet, { password }) => {
      wallet.ring.unlock(password);
      return null;
    },
  }),
  set_password: command({
    params: { password: text },
    result: 'null',
    secret: ['password'],
    acts: true,
    help: 'Sets the password of a new wallet, or another one while the wallet is unlocked. The wallet is locked afterwards.',
    run: (wallet, { password }) => {
      wallet.setPassword(password);
      return null;
    },
  }),
  load_wallet_file: command({
    params: { wallet_filename: text },
    result: 'bool',
    acts: true,
    help: 'Takes up another wallet file, or with "" the same one again. False when there is no such file.',
    run: (wallet, args) => wallet.load(args.wallet_filename),
  }),
  save_wallet_file: command({
    params: { wallet_filename: text },
    result: 'null',
    acts: true,
    help: 'Writes the wallet file, or with a name a copy of it there.',
    run: (wallet, args) => {
      wallet.save(args.wallet_filename);
      return null;
    },
  }),
} satisfies CommandTable;
