import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MarketClient, product } from '../services/support/market-client.js';
import { freePort } from '../support/free-port.js';
import { projectPath } from '../support/paths.js';
import { type Account, DevChain } from './dev-chain.js';
import { Program } from './program.js';

/**
 * All programs of an exchange on this machine: a development chain, market, exchange, paid storage, and the worked example
 * of a data source with a product of its own. In a folder that has them already they go on.
 */

const LISTENS = /listens.* url=(http:\/\/[\d.]+:\d+)/;
const ANY_PORT = ['--endpoint', '127.0.0.1:0'];
const PRICE = 1000;
/** Where a wallet answers unless it is told otherwise. */
const WALLET_AT = '127.0.0.1:8093';
const MONEY = 50_000_000;
const CATEGORY = 'Chemistry';
const PRODUCT = 'Facts about chemical elements';
const [SELLER_NUMBER, BUYER_NUMBER] = [1, 2];

export type Say = (line: string) => void;

/** The URL of a database; undefined for a file. */
export type DatabaseNamed = (name: string) => Promise<string | undefined>;

export class LocalExchange {
  readonly #folder: string;
  readonly #say: Say;
  readonly #databaseNamed: DatabaseNamed;
  readonly #programs: Program[] = [];
  readonly chain: DevChain;
  #seller: MarketClient | undefined;
  #buyer: MarketClient | undefined;
  exchange = '';
  market = '';
  storage = '';
  product = 0;
  buyerKeyFile = '';
  #isClosed = false;

  constructor(folder: string, say: Say, databaseNamed: DatabaseNamed = async () => undefined) {
    this.#folder = folder;
    this.#say = say;
    this.#databaseNamed = databaseNamed;
    this.chain = new DevChain(folder);
  }

  get seller(): MarketClient {
    if (this.#seller === undefined) throw new Error('nobody sells');
    return this.#seller;
  }

  get buyer(): MarketClient {
    if (this.#buyer === undefined) throw new Error('nobody buys');
    return this.#buyer;
  }

  async #run(
    words: readonly string[],
    variables: Readonly<Record<string, string>> = {},
    endpoint: readonly string[] = ANY_PORT,
  ): Promise<string> {
    const program = new Program({ words: [...words, ...endpoint], listens: LISTENS, variables });
    this.#programs.push(program);
    if (this.#isClosed) await program.close();
    await program.start();
    return program.address;
  }

  /** Where a service keeps its data, as words of its command line. */
  async #place(name: string): Promise<readonly string[]> {
    const dataDir = join(this.#folder, name);
    mkdirSync(dataDir, { recursive: true });
    const database = await this.#databaseNamed(name);
    return ['--data-dir', dataDir, ...(database === undefined ? [] : ['--database', database])];
  }

  async start(): Promise<void> {
    const { chain } = this;
    await chain.start();
    this.#say(`node         ${chain.nodeUrl}/  a development chain, a block every 3 seconds`);
    const [alice, bob, carol] = ['alice', 'bob', 'carol'].map((name) => chain.named(name)) as [
      Account,
      Account,
      Account,
    ];
    const [seller, buyer] = (await chain.accounts([
      { name: 'element-seller', units: 0 },
      { name: 'data-buyer', units: MONEY },
    ])) as [Account, Account];
    for (const { name, id, wif } of [seller, buyer]) this.#say(`account      ${name} ${id}, its key is ${wif}`);
    const node = ['--node', chain.url];
    const shared = [...node, ...(await this.#place('exchange'))];
    // The exchange is up to others on a machine that is busy with all the rest.
    const patience = ['--source-timeout', '30', '--connect-timeout', '10', '--clock-skew', '20000'];
    // The page of the market has to know them before they are there.
    const [exchange, gatewayAt] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
    const calls = ['--page-exchange', `http://${exchange}`, '--page-gateway', `http://${gatewayAt}`];
    const page = ['--page-node', chain.url, '--page-wallet', `http://${WALLET_AT}`, ...calls];
    this.market = await this.#run(['market', ...shared, '--admin', alice.id, '--private-urls', ...page]);
    this.#say(`market       ${this.market}/  a page to buy and sell at; its calls can be tried at /calls`);
    this.exchange = await this.#run(
      ['des', ...shared, '--account', bob.name, '--private-sources', ...patience],
      { TRUSTNODE_DES_KEY: bob.wif },
      ['--endpoint', exchange],
    );
    this.#say(`exchange     ${this.exchange}/  of ${bob.name} ${bob.id}, which keeps a tenth of each payment`);
    const storage = ['storage', ...node, ...(await this.#place('storage')), '--account', carol.name];
    this.storage = await this.#run(storage, { TRUSTNODE_STORAGE_KEY: carol.wif });
    this.#say(`storage      ${this.storage}/  of ${carol.name} ${carol.id}`);
    const gateway = ['gateway', ...node, ...(await this.#place('gateway')), '--account', alice.name];
    const gatewayUrl = await this.#run(gateway, { TRUSTNODE_GATEWAY_KEY: alice.wif }, ['--endpoint', gatewayAt]);
    this.#say(`gateway      ${gatewayUrl}/  registers accounts for newcomers; ${alice.name} ${alice.id} pays`);
    await this.#sell(new MarketClient(this.market, alice, 0), seller, buyer);
    this.buyerKeyFile = join(this.#folder, 'buyer.key');
    writeFileSync(this.buyerKeyFile, buyer.wif, { mode: 0o600 });
  }

  async #sell(admin: MarketClient, seller: Account, buyer: Account): Promise<void> {
    this.#seller = new MarketClient(this.market, seller, SELLER_NUMBER);
    this.#buyer = new MarketClient(this.market, buyer, BUYER_NUMBER);
    // Where its source listens is known later.
    await done(this.#seller.bind('http://127.0.0.1:1/'));
    await done(this.#buyer.bind('http://127.0.0.1:1/'));
    this.product = await this.#findProduct(admin);
    const source = await this.#run(
      [
        ...['datasource', '--node', this.chain.url, '--account', seller.name, '--exchange', this.exchange],
        ...['--product', String(this.product), '--ask-timeout', '30'],
        ...['--module', projectPath('docs', 'examples', 'data-source', 'elements.mjs')],
      ],
      { TRUSTNODE_DATASOURCE_KEY: seller.wif },
    );
    await done(this.#seller.bind(source));
    this.#say(`data source  ${source}/  of ${seller.name}: docs/examples/data-source/elements.mjs`);
    this.#say(`product      ${this.market}/market/product/${this.product}  "${PRODUCT}", ${PRICE} of 1.3.1 a question`);
  }

  /** Made by an earlier run, or now. */
  async #findProduct(admin: MarketClient): Promise<number> {
    const { data: before } = await this.seller.get<{ productId: number }[]>('/market/product/list/0/1');
    const [known] = before;
    if (known !== undefined) return known.productId;
    const created = await done(
      admin.post<{ categoryId: number }>('/market/category/create', { categoryName: CATEGORY }),
    );
    const description = {
      productName: PRODUCT,
      brieDesc: 'Name, number and mass of an element, by its symbol',
      categoryId: created.categoryId,
      price: { amount: PRICE, assetId: '1.3.1' },
      input: { symbol: { type: 'string', desc: 'such as Fe', required: true, sample: 'Fe' } },
      output: {
        name: { type: 'string', desc: 'its name', sample: 'Iron' },
        number: { type: 'number', desc: 'of protons', sample: 26 },
        mass: { type: 'number', desc: 'of an atom, in daltons', sample: 55.845 },
      },
    };
    await done(this.seller.post('/market/product/create', product(description)));
    const { data } = await this.seller.get<{ productId: number }[]>('/market/product/list/0/1');
    const [made] = data;
    if (made === undefined) throw new Error('there is no product');
    return made.productId;
  }

  /** Ends all, the node last. Exit codes. */
  async stop(): Promise<(number | null)[]> {
    const codes: (number | null)[] = [];
    for (const program of [...this.#programs].reverse()) codes.push(await program.stop());
    return [...codes, await this.chain.stop()];
  }

  /** Ends what is left, however. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.chain.close(), ...this.#programs.map((program) => program.close())]);
  }
}

async function done<D>(call: Promise<{ readonly code: number; readonly msg: string; readonly data: D }>): Promise<D> {
  const { code, msg, data } = await call;
  if (code !== 1) throw new Error(`the market refuses: ${code} ${msg}`);
  return data;
}
