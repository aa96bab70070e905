import { headSigningKeys } from '../../../src/node/chain/signing-keys.js';
import { witnessObject } from '../../../src/state/objects/witness.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import { refused } from '../../support/refused.js';
import { worldTest } from '../../support/world.js';
import { witnessKey } from '../../support/world-genesis.js';

worldTest('a key that waits for its block does not sign yet', { accounts: { init0: 5_000_000_000n } }, (t, w) => {
  const witness = w.witness('init0').id;
  const keyOf = headSigningKeys(w.chain, [witness, 99]);
  const [before, after] = [witnessKey('init0').publicKey, w.addKey(witnessKey('init0 second')).publicKey];
  t.equal(keyOf(witness), before);
  w.push('witness_update', { witness, witness_account: 'init0', new_signing_key: after });
  t.equal(w.state.get(witnessObject, witness).signing_key, after, 'clients see it');
  t.equal(keyOf(witness), before);
  const { number } = w.block();
  t.equal(keyOf(witness), after);
  refused(t, TABLE_ERRORS.object_missing, () => keyOf(99));
  const block = w.chain.queries.blockByNumber(number);
  w.chain.blocks.popTo(number - 1);
  t.equal(keyOf(witness), before, 'undone with its block');
  if (block !== undefined) w.chain.blocks.push({ block });
  t.equal(keyOf(witness), after);
});
