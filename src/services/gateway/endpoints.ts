import { fromHex } from '../../base/bytes.js';
import { ChainError, check, fail } from '../../base/errors.js';
import type { Clock } from '../../base/world.js';
import { unpackTransaction } from '../../client/transactions.js';
import type { Json, JsonObject } from '../../codec/json.js';
import { isOnCurve } from '../../crypto/old-addresses.js';
import { type PublicKey, publicKeyFromText, publicKeyToText } from '../../crypto/public-key.js';
import type { HttpAnswer } from '../../http/handler.js';
import type { RouteContext, Texts } from '../../http/routes.js';
import { isCheapName, isValidAccountName } from '../../protocol/names.js';
import { signedTransaction } from '../../protocol/transaction.js';
import type { KnownAccount } from '../chain/accounts.js';
import { type Endpoint, endpoint, jsonEndpoint } from '../common/endpoint.js';
import { answer, inDatabase } from './answers.js';
import {
  conditionsAnswer,
  errorAnswer,
  invitePath,
  type RegisterBody,
  registerAnswer,
  registerBody,
} from './declared.js';
import { GATEWAY_ERRORS } from './errors.js';
import { checkGuard, WORK_SEC } from './guard.js';
import type { GatewayOptions } from './options.js';
import type { Referrers } from './referrers.js';
import type { Newcomer, Registered, Registrations } from './registrations.js';

/** The calls of the gateway. */

const BODY_BYTES = 16_384;

const json = (schema: object): Record<string, Record<string, unknown>> => ({ 'application/json': { ...schema } });
const refused = (about: string) => ({ about, content: json(errorAnswer.json) });

export interface EndpointParts {
  readonly options: GatewayOptions;
  readonly registrar: KnownAccount;
  readonly chainId: string;
  readonly keyPrefix: string;
  readonly registrations: Registrations;
  readonly referrers: Referrers;
  isOpen(): Promise<boolean>;
  readonly clock: Clock;
}

type Account = RegisterBody['account'];

/** A key that is on no point of the curve signs nothing: the account would be lost. */
function readKey(text: string, member: string, keyPrefix: string): PublicKey {
  let key: PublicKey;
  try {
    key = publicKeyFromText(text, keyPrefix);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    fail(GATEWAY_ERRORS.gateway_key, { member, why: error.message });
  }
  check(isOnCurve(key), GATEWAY_ERRORS.gateway_key, { member, why: 'it is no point of the curve' });
  return key;
}

/** Its form alone: what the chain says to it comes later. */
function readNewcomer(account: Account, keyPrefix: string, takesPremium: boolean): Newcomer {
  const { name, active_key: active, owner_key: owner, memo_key: memo } = account;
  check(isValidAccountName(name), GATEWAY_ERRORS.gateway_name, { name });
  check(takesPremium || isCheapName(name), GATEWAY_ERRORS.gateway_name_premium, { name });
  const first = active ?? owner;
  check(first !== undefined, GATEWAY_ERRORS.gateway_key, { member: 'active_key', why: 'it is missing' });
  // Most have one key for all: whether it is one is the dearest question here.
  const read = new Map<string, PublicKey>();
  const keyOf = (text: string, member: string): PublicKey => {
    const key = read.get(text) ?? readKey(text, member, keyPrefix);
    read.set(text, key);
    return key;
  };
  return {
    name,
    active: keyOf(first, active === undefined ? 'owner_key' : 'active_key'),
    owner: keyOf(owner ?? first, 'owner_key'),
    memo: keyOf(memo ?? first, 'memo_key'),
  };
}

/** The signed transaction as SDKs know it, and what has become of it. */
function registeredAnswer(name: string, { row, account }: Registered, keyPrefix: string): HttpAnswer {
  const transaction =
    row === undefined
      ? {}
      : (signedTransaction.toJson(unpackTransaction(fromHex(row.packed)), { keyPrefix }) as JsonObject);
  const isThere = account !== undefined;
  const body: Json = {
    ...transaction,
    ...(row === undefined ? {} : { txid: row.txid }),
    ...(isThere ? { account: { id: `1.2.${account}`, name } } : {}),
  };
  return answer(body, isThere ? 200 : 202);
}

/** A code that was refused for want of a node is as good as ever. */
export const withoutInvite = (path: string): string => path.replace(/^\/invite\/[^/]*/, '/invite/…');

export function gatewayEndpoints(parts: EndpointParts): readonly Endpoint[] {
  const { options, chainId, keyPrefix, registrar, registrations, referrers, clock } = parts;

  const register = async (
    { request: { caller }, body }: Pick<RouteContext<unknown, Texts, RegisterBody>, 'request' | 'body'>,
    code: string | undefined,
  ): Promise<HttpAnswer> => {
    const { account, invite, work } = body;
    const newcomer = readNewcomer(account, keyPrefix, options['premium-names']);
    const keyText = (key: PublicKey): string => publicKeyToText(key, keyPrefix);
    const { name, owner, active, memo } = newcomer;
    const subject = { chainId, name, owner: keyText(owner), active: keyText(active), memo: keyText(memo) };
    const registered = await inDatabase(() =>
      registrations.register(newcomer, {
        address: caller.isLocal ? undefined : caller.countedAs,
        invite: () => checkGuard(options, { invite: invite ?? code, work }, subject, clock),
        referrer: () => referrers.of(account.referrer, account.refcode),
      }),
    );
    return registeredAnswer(name, registered, keyPrefix);
  };

  const shared = {
    summary: 'Register an account',
    about:
      'The gateway pays. A name and a public key are needed; the answer is the signed transaction with its id, and with the account once a block has it. The same name and keys again are the same registration and cost nothing.',
    method: 'POST',
    bytesMax: BODY_BYTES,
    body: registerBody,
    answers: {
      200: { about: 'The account is there', content: json(registerAnswer.json) },
      202: { about: 'On its way; asking again tells more', content: json(registerAnswer.json) },
      400: refused('What is wrong, by its name'),
      403: refused('Work, an invite code or another name is needed'),
      409: refused('The name belongs to somebody else'),
      429: refused('Too much from this address, or today'),
      503: refused('The chain does not answer, or the registrar cannot pay'),
    },
  } as const;
  return [
    jsonEndpoint({ ...shared, pattern: '/account/register', run: (context) => register(context, undefined) }),
    jsonEndpoint({
      ...shared,
      summary: 'Register an account with an invite code in the path',
      about: 'The same for SDKs that know nothing of invite codes: their gateway URL ends with /invite/CODE.',
      pattern: '/invite/:code/account/register',
      path: invitePath,
      run: (context) => register(context, context.path.code),
    }),
    endpoint({
      summary: 'What this gateway asks of newcomers',
      about:
        'Where work is asked for: the SHA-256 of register|chainId|name|owner|active|memo|time|nonce, keys as texts, has to begin with workBits zero bits.',
      methods: ['GET'],
      pattern: '/account/conditions',
      answers: { 200: { about: 'The conditions', content: json(conditionsAnswer.json) } },
      run: async () => {
        const { guard } = options;
        const asksWork = guard === 'work' || guard === 'any';
        return answer({
          chainId,
          keyPrefix,
          registrar: { id: `1.2.${registrar.id}`, name: registrar.name },
          guard,
          workBits: asksWork ? options['work-bits'] : 0,
          workSeconds: asksWork ? WORK_SEC : 0,
          premiumNames: options['premium-names'],
          open: await inDatabase(() => parts.isOpen()),
        });
      },
    }),
  ];
}
