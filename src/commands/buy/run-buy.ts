import { resolve } from 'node:path';
import { ChainError, check, defineErrors, FAMILY, fail } from '../../base/errors.js';
import { harmless } from '../../base/harmless.js';
import { connect, type NodeClient } from '../../client/client.js';
import { RpcConnectionError, RpcError } from '../../client/connection.js';
import { isId, readId } from '../../client/ids.js';
import type { Json, JsonObject } from '../../codec/json.js';
import { visible } from '../../codec/visible.js';
import { PrivateKey } from '../../crypto/private-key.js';
import { nodeFiles } from '../../storage/files.js';
import { Buyer, type Delivery, type Product, RESTART_MS } from '../../trade/buyer.js';
import { writeJson } from '../../trade/json.js';
import { checkNames, parameterOf } from '../../trade/parameters.js';
import { reasonOf } from '../../trade/reasons.js';
import { EXIT, type Terminal } from '../terminal.js';
import { OrderFiles } from './order-files.js';

/** One purchase from the command line: asks, pays, waits, prints what each source has answered. */

export const BUY_ERRORS = defineErrors(
  {
    buy_account: { ...FAMILY.invalidArgument, text: 'the option account is needed: it pays for the data' },
    buy_key: {
      ...FAMILY.invalidArgument,
      text: 'the active key of ${account} is needed: option key-file, or TRUSTNODE_BUYER_KEY in the environment',
    },
    buy_parameter: { ...FAMILY.invalidArgument, text: '${text} is no parameter: name=value is one' },
    buy_twice: { ...FAMILY.invalidArgument, text: '${name} is given twice' },
    buy_sources: { ...FAMILY.invalidArgument, text: 'sources is how many are asked at most: 1 at least' },
    buy_unknown: { text: 'there is no account ${account}' },
    buy_node: {
      kind: 'environment',
      text: '${why}',
      hint: 'the option node names a node, which tells of accounts and their keys',
    },
    buy_max: { ...FAMILY.invalidArgument, text: 'max is a whole number of smallest units' },
  },
  'invalid',
);

/** Names, descriptions and data are as their sellers have written them. */
const ofStrangers = (text: string): string => harmless(visible(text));

interface Given {
  readonly [name: string]: unknown;
}

/** As the product describes them: numbers are numbers where they are wanted, and everything that it needs is there. */
function parametersOf(given: readonly string[], { input }: Product): JsonObject {
  const texts = new Map<string, string>();
  for (const text of given) {
    const at = text.indexOf('=');
    check(at > 0, BUY_ERRORS.buy_parameter, { text });
    const name = text.slice(0, at);
    check(!texts.has(name), BUY_ERRORS.buy_twice, { name });
    texts.set(name, text.slice(at + 1));
  }
  checkNames(Object.fromEntries(texts), input);
  const typeOf = (name: string): string => String((input[name] as { readonly type?: Json }).type);
  return Object.fromEntries([...texts].map(([name, text]) => [name, parameterOf(name, typeOf(name), text)]));
}

function keyOf(args: Given, account: string): PrivateKey {
  const path = args.keyFile as string | undefined;
  const text = path === undefined ? process.env.TRUSTNODE_BUYER_KEY : nodeFiles.readText(resolve(path));
  check(text !== undefined && text.trim() !== '', BUY_ERRORS.buy_key, { account });
  return PrivateKey.fromWif(text.trim());
}

function mostOf(args: Given): { readonly unitsMax?: bigint; readonly sources?: number } {
  const { max, sources } = args as { readonly max?: string; readonly sources?: number };
  check(max === undefined || /^\d{1,18}$/.test(max), BUY_ERRORS.buy_max);
  check(sources !== 0, BUY_ERRORS.buy_sources);
  return {
    ...(max === undefined ? {} : { unitsMax: BigInt(max) }),
    ...(sources === undefined ? {} : { sources }),
  };
}

/** A node that is away, and one that refuses, may be met at any question. */
async function told<T>(question: Promise<T>): Promise<T> {
  try {
    return await question;
  } catch (error) {
    if (!(error instanceof RpcConnectionError || error instanceof RpcError)) throw error;
    return fail(BUY_ERRORS.buy_node, { why: error.message });
  }
}

async function findAccount(database: NodeClient['database'], account: string) {
  if (!account.startsWith('1.2.')) return told(database.get_account_by_name({ name: account }));
  return isId(account, 'account')
    ? (await told(database.get_accounts({ ids: [readId(account).instance] })))[0]
    : undefined;
}

export async function runBuy(args: Given, terminal: Terminal): Promise<void> {
  const account = args.account as string | undefined;
  check(account !== undefined, BUY_ERRORS.buy_account);
  const most = mostOf(args);
  const key = keyOf(args, account);
  const { database } = await connect(String(args.node));
  const found = await findAccount(database, account);
  check(found !== undefined, BUY_ERRORS.buy_unknown, { account });
  const keyPrefix = String(((await told(database.get_config())) as JsonObject).GRAPHENE_ADDRESS_PREFIX);
  const folder = resolve(String(args.orders));
  const orders = new OrderFiles(
    folder,
    `${args.exchange} ${found.id}`,
    (text) => terminal.err(text),
    () => buyer.nowMs(),
  );
  const stopTelling = tellWhoEnds(() => {
    if (orders.isSending)
      terminal.err(
        `the exchange may have the request, and it may be paid: the same command asks for it, from ${folder}\n`,
      );
  });
  const buyer: Buyer = new Buyer({
    exchange: String(args.exchange),
    account: found.id,
    key,
    keyPrefix,
    orders,
    chainTimeMs: async () => (await told(database.get_dynamic_global_properties())).time * 1000,
    keyOf: async (source) => (await told(database.get_accounts({ ids: [source] })))[0]?.active.key_auths[0]?.[0],
  });
  try {
    await buyAndTell(args, buyer, most, terminal);
  } finally {
    stopTelling();
  }
}

async function buyAndTell(
  args: Given,
  buyer: Buyer,
  most: ReturnType<typeof mostOf>,
  terminal: Terminal,
): Promise<void> {
  const request = args.request as string | undefined;
  const { id, product } =
    request === undefined
      ? await ask(args, buyer, most, terminal)
      : { id: request, product: await productOrNone(buyer, args) };
  const purchase = await buyer.wait(id, Number(args.wait) * 1000, product);
  for (const one of purchase.deliveries) tellDelivery(one, terminal);
  if (!purchase.isFinished) terminal.err(`not all of them have answered yet: look again with --request ${id}\n`);
  const isGood = purchase.deliveries.some(({ status, data }) => status === 'SUCCESS' && data !== undefined);
  if (!isGood) terminal.exitCode = EXIT.refused;
}

/** The last words before a signal ends the process, as it would have without them. Ends when what it gives is called. */
function tellWhoEnds(tell: () => void): () => void {
  const stops = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => {
    const listener = (): void => {
      stopAll();
      tell();
      process.kill(process.pid, signal);
    };
    process.on(signal, listener);
    return () => void process.off(signal, listener);
  });
  const stopAll = (): void => {
    for (const stop of stops) stop();
  };
  return stopAll;
}

/** What was paid is shown whether or not its product is still there to compare it with. */
async function productOrNone(buyer: Buyer, args: Given): Promise<Product | undefined> {
  try {
    return await buyer.product(Number(args.product));
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    return undefined;
  }
}

/** Why there is no data; undefined where there is, or where the exchange has a word of its own. */
function whyNothing({ status, comment }: Delivery): string | undefined {
  if (status === 'NONE') return 'it has no such data';
  if (status === 'TIMEOUT') return 'it did not answer in time';
  return status === 'FAIL' ? reasonOf(comment) : undefined;
}

function tellDelivery(delivery: Delivery, terminal: Terminal): void {
  const { source, status, comment, txid, data, warnings } = delivery;
  const id = `1.2.${source}`;
  const line = writeJson({
    source: id,
    status,
    comment,
    txid: txid ?? null,
    data: data ?? null,
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
  });
  // JSON leaves some letters as they are that steer terminals; written this way it means the same.
  terminal.out(`${ofStrangers(line)}\n`);
  const why = whyNothing(delivery);
  if (why !== undefined) terminal.err(`${id} has delivered nothing: ${why}\n`);
  if (warnings.length === 0) return;
  const what = ofStrangers(warnings.join('; '));
  terminal.err(`warning: ${id} has delivered something else than the product describes: ${what}\n`);
}

/** The id of the request, which is printed before anything else can go wrong: by it the answers can be had later. */
async function ask(
  args: Given,
  buyer: Buyer,
  most: ReturnType<typeof mostOf>,
  terminal: Terminal,
): Promise<{ readonly id: string; readonly product: Product }> {
  const product = await buyer.product(Number(args.product), RESTART_MS);
  const params = parametersOf((args.params as readonly string[] | undefined) ?? [], product);
  const { units, asset } = product.price;
  terminal.err(`${ofStrangers(product.name)}: ${units} of 1.3.${asset} for each source that delivers\n`);
  const id = await buyer.ask(product, params, most);
  terminal.err(`request ${id}\n`);
  return { id, product };
}
