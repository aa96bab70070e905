import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import '../../operations/index.js';
import { check, defineErrors, FAMILY } from '../../base/errors.js';
import { Chain } from '../../chain/chain.js';
import { MemoryBlockStore } from '../../chain/memory-block-store.js';
import { type JsonObject, parseJson } from '../../codec/json.js';
import { PrivateKey } from '../../crypto/private-key.js';
import { type BalanceOwner, genesisClaims } from '../../node/dev/genesis-claims.js';
import { signedTransaction } from '../../protocol/transaction.js';
import { accountObject } from '../../state/objects/account.js';
import { guarded } from '../../storage/errors.js';
import { chainContractEngine } from '../../vm/chain-engine.js';
import { contractKeys } from '../../vm/keys.js';
import { readGenesisFile } from '../chain/open.js';
import type { Command } from '../command.js';
import { GENESIS_CREATE_ERRORS } from './create.js';

export const GENESIS_CLAIM_ERRORS = defineErrors({
  genesis_keys: { ...FAMILY.invalidArgument, text: '${path}: ${what}' },
});

/** Signed with nothing but the genesis file and the keys of its accounts: no node has to run. */
export const claimCommand: Command = {
  builder: (yargs) =>
    yargs
      .positional('file', { type: 'string', demandOption: true })
      .option('keys', {
        type: 'string',
        describe: 'Keys as genesis create writes them; by default those beside the file',
      })
      .option('force', { type: 'boolean', default: false, describe: 'Replace an existing file' }),
  handler: (args, terminal) => {
    const path = resolve(String(args.file));
    const base = path.replace(/\.json$/, '');
    const keyPath = resolve(typeof args.keys === 'string' ? args.keys : `${base}.keys.json`);
    const target = `${base}.claims.json`;
    check(args.force === true || !existsSync(target), GENESIS_CREATE_ERRORS.genesis_file_exists, { path: target });
    const genesis = readGenesisFile(path);
    const engine = chainContractEngine(contractKeys(genesis.network));
    const { state } = new Chain({ genesis, engine, blocks: new MemoryBlockStore() }).queries;
    const owners = accountKeys(keyPath).flatMap(([name, key]): BalanceOwner[] => {
      const account = state.findBy(accountObject.by.name, name);
      return account === undefined ? [] : [{ id: account.id, key }];
    });
    const claims = genesisClaims(state, owners);
    check(claims.length > 0, GENESIS_CLAIM_ERRORS.genesis_keys, {
      path: keyPath,
      what: 'none of these keys has a balance in the genesis file',
    });
    const list = claims.map((claim) => signedTransaction.toJson(claim, state.network));
    guarded(target, () => writeFileSync(target, `${JSON.stringify(list, null, 2)}\n`));
    terminal.out(`${claims.length} claims in ${target}\n`);
  },
};

function accountKeys(path: string): [name: string, key: PrivateKey][] {
  const rows = parseJson(guarded(path, () => readFileSync(path, 'utf8')));
  check(Array.isArray(rows), GENESIS_CLAIM_ERRORS.genesis_keys, { path, what: 'it is no list of keys' });
  return (rows as JsonObject[])
    .filter(({ purpose }) => purpose === 'account')
    .map(({ name, wif }) => [String(name), PrivateKey.fromWif(String(wif))]);
}
