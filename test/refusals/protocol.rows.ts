import { AccountSet, type Authority, emptyAuthority, keyAuthority } from '../../src/protocol/authority.js';
import {
  AUTHORITY_ERRORS,
  type AuthorityProof,
  type AuthoritySource,
  verifyAuthority,
} from '../../src/protocol/authority-check.js';
import { accountId, ID_ERRORS, objectId } from '../../src/protocol/ids.js';
import { NAME_ERRORS, nameFromText } from '../../src/protocol/name.js';
import { NETWORK_ERRORS, networkOf } from '../../src/protocol/network-definition.js';
import { VOTE_ERRORS, voteId } from '../../src/protocol/vote.js';
import { ObjectDatabase } from '../../src/state/object-db.js';
import { assetObject } from '../../src/state/objects/asset.js';
import { TABLE_ERRORS } from '../../src/state/table.js';
import { inlineVerifier } from '../../src/verify/inline.js';
import { PoolVerifier } from '../../src/verify/pool.js';
import { VERIFY_ERRORS } from '../../src/verify/verify.js';
import { NETWORK } from '../support/network.js';
import { accountKey } from '../support/world-genesis.js';
import { assertion, type Refusal } from './define.js';

const KEY = accountKey('somebody').publicKey;
const OTHER = accountKey('somebody else').publicKey;
/** Everybody has the one key. */
const source: AuthoritySource = {
  network: NETWORK,
  depthMax: 2,
  active: () => keyAuthority(KEY),
  owner: () => keyAuthority(KEY),
};
const nobody = { active: new AccountSet(), owner: new AccountSet(), other: [] as Authority[] };
const asking =
  (required: Partial<typeof nobody>, proof: AuthorityProof = { keys: [] }) =>
  () =>
    verifyAuthority(source, { ...nobody, ...required }, proof);

const exact = (row: Refusal['row'], code: number, name: string, message: string, raise: () => unknown): Refusal => ({
  row,
  code,
  name,
  message,
  raise,
});

const LONG_NAME = 'abcdefghijklmn';

export const refusals: readonly Refusal[] = [
  // Who has to sign
  exact(
    AUTHORITY_ERRORS.active_auth_missing,
    3030001,
    'tx_missing_active_auth',
    'missing required active authority: Missing Active Authority 1.2.17',
    asking({ active: AccountSet.of(17) }),
  ),
  exact(
    AUTHORITY_ERRORS.owner_auth_missing,
    3030002,
    'tx_missing_owner_auth',
    'missing required owner authority: Missing Owner Authority 1.2.17',
    asking({ owner: AccountSet.of(17) }),
  ),
  exact(
    AUTHORITY_ERRORS.other_auth_missing,
    3030003,
    'tx_missing_other_auth',
    'missing required other authority: Missing Authority',
    asking({ other: [emptyAuthority(1)] }),
  ),
  exact(
    AUTHORITY_ERRORS.signature_irrelevant,
    3030004,
    'tx_irrelevant_sig',
    'irrelevant signature included: Unnecessary signature(s) detected',
    asking({ active: AccountSet.of(17) }, { keys: [KEY, OTHER] }),
  ),
  exact(
    AUTHORITY_ERRORS.committee_approval_invalid,
    3030006,
    'invalid_committee_approval',
    'committee account cannot directly approve transaction: Committee account may only propose transactions',
    asking({ active: AccountSet.of(0) }),
  ),
  // Ids
  assertion(ID_ERRORS.id_text, 'first_dot != second_dot: ', () => accountId.fromJson('abc')),
  exact(ID_ERRORS.id_number, 4, 'parse_error_exception', "Parse Error: Couldn't parse uint64_t", () =>
    accountId.fromJson('1.2'),
  ),
  exact(ID_ERRORS.id_number, 4, 'parse_error_exception', "Parse Error: Couldn't parse uint64_t", () =>
    accountId.fromJson('1.2.18446744073709551616'),
  ),
  assertion(
    ID_ERRORS.id_kind,
    "fc::to_uint64( s.substr( 0, first_dot ) ) == SpaceID && fc::to_uint64( s.substr( first_dot+1, second_dot-first_dot-1 ) ) == TypeID: Space.Type.0 (1.2.0) doesn't match expected value 1.3.0",
    () => accountId.fromJson('1.3.0'),
  ),
  assertion(ID_ERRORS.id_range, 'vo.number <= GRAPHENE_DB_MAX_INSTANCE_ID: ', () => objectId.fromJson('1.2.-1')),
  assertion(VOTE_ERRORS.vote_text, 'colon != std::string::npos: ', () => voteId.fromJson('x')),
  exact(VOTE_ERRORS.vote_number, 13, 'std_exception', 'Standard Exception: x begins with no number', () =>
    voteId.fromJson('1:x'),
  ),
  exact(
    VOTE_ERRORS.vote_range,
    8,
    'out_of_range_exception',
    'Out of Range: 256:1 is no vote id: its type is at most 255, its number at most 16777215',
    () => voteId.fromJson('256:1'),
  ),
  exact(
    NAME_ERRORS.name_too_long,
    3010001,
    'name_type_exception',
    'Invalid name: Name is longer than 13 characters (abcdefghijklmn) ',
    () => nameFromText(LONG_NAME),
  ),
  exact(
    NAME_ERRORS.name_not_normalized,
    3010001,
    'name_type_exception',
    'Invalid name: Name not properly normalized (name: Hello, normalized: .ello) ',
    () => nameFromText('Hello'),
  ),
  exact(
    NETWORK_ERRORS.network_definition,
    5,
    'invalid_arg_exception',
    'Invalid Argument: genesis file, network: there is no colour',
    () => networkOf('{"network":{"colour":1}}'),
  ),
  // A state that was stored, and the signatures' threads
  assertion(
    TABLE_ERRORS.object_load_twice,
    'stored object 1.3.1 has a key of index symbol that another object has too',
    () => {
      const database = new ObjectDatabase([assetObject]);
      const twin = { ...(assetObject.schema.default() as object), symbol: 'TWIN' };
      for (const id of [0, 1]) database.load(assetObject, id, { ...twin, id } as never);
      database.finishLoading();
    },
  ),
  assertion(
    VERIFY_ERRORS.verify_batch_uneven,
    'batch of 31 digest bytes and 65 signature bytes does not hold pairs',
    () => inlineVerifier().recover({ digests: new Uint8Array(31), signatures: new Uint8Array(65) }),
  ),
  assertion(VERIFY_ERRORS.verifier_closed, 'signature verifier is closed', async () => {
    const verifier = inlineVerifier();
    await verifier.close();
    await verifier.recover({ digests: new Uint8Array(32), signatures: new Uint8Array(65) });
  }),
  assertion(
    VERIFY_ERRORS.verifier_worker_failed,
    'a thread of the signature verifier has failed: Error: thrown on purpose',
    async () => {
      const program = new URL('../support/failing-worker.js', import.meta.url);
      const pool = new PoolVerifier({ workers: 1, program });
      try {
        await pool.recover({ digests: new Uint8Array(32), signatures: new Uint8Array(65) });
      } finally {
        await pool.close();
      }
    },
  ),
];
