import type { Browser, Page } from 'playwright-core';
import type { Test } from 'tap';
import accountHistory from '../../../plugins/account_history/index.js';
import accountHistoryKv from '../../../plugins/account_history_kv/index.js';
import { toHex } from '../../../src/base/bytes.js';
import { encryptMemo } from '../../../src/crypto/memo.js';
import type { PrivateKey } from '../../../src/crypto/private-key.js';
import { type PublicKey, publicKeyToText } from '../../../src/crypto/public-key.js';
import { DEV_ACCOUNTS, DEV_WITNESS_ACCOUNTS } from '../../../src/node/dev/dev-network.js';
import { nodeParts } from '../../../src/node/parts/list.js';
import { signedTransaction } from '../../../src/protocol/transaction.js';
import { openBrowser } from '../../support/browser.js';
import { type DevNode, startDevNode } from '../../support/dev-node.js';
import { NETWORK } from '../../support/network.js';
import { rpcCall, signedBy } from '../../support/rpc-call.js';

/** A development node whose blocks come when a test says so, and a browser before its explorer. */

type Body = Readonly<Record<string, unknown>>;

const BLOCK_MS = 3000;

export class ExplorerWorld {
  readonly dev: DevNode;
  readonly browser: Browser;
  readonly url: string;

  private constructor(dev: DevNode, browser: Browser) {
    this.dev = dev;
    this.browser = browser;
    this.url = `http://${dev.node.endpoints.plain}/`;
  }

  static async start(t: Test, line: Readonly<Record<string, string>> = {}): Promise<ExplorerWorld> {
    const dev = await startDevNode(t.testdir({}), line, undefined, nodeParts([accountHistory, accountHistoryKv]));
    t.teardown(() => dev.node.stop());
    const browser = await openBrowser();
    t.teardown(() => browser.close());
    const world = new ExplorerWorld(dev, browser);
    await world.blocks(3);
    return world;
  }

  async blocks(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      this.dev.clock.advance(BLOCK_MS);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  call<T>(method: string, ...params: readonly unknown[]): Promise<T> {
    return rpcCall<T>(this.dev.node.endpoints.plain, method, [...params]);
  }

  key(name: string): PrivateKey {
    const found = [...DEV_ACCOUNTS, ...DEV_WITNESS_ACCOUNTS].find((one) => one.name === name);
    if (found === undefined) throw new Error(`${name} is no account of the development network`);
    return found.key;
  }

  /** As JSON, not sent. */
  async signed(name: string, ...operations: readonly (readonly [number, Body])[]): Promise<Body> {
    const trx = await signedBy(this.dev.node.endpoints.plain, this.key(name), operations);
    return signedTransaction.toJson(trx, NETWORK) as Body;
  }

  /** Sent; waits until a block is made. */
  async send(name: string, ...operations: readonly (readonly [number, Body])[]): Promise<string> {
    const body = await this.signed(name, ...operations);
    return this.call<string>('call', 2, 'broadcast_transaction', [body]);
  }

  memo(from: string, to: string, text: string): Body {
    const [own, other] = [this.key(from), this.key(to).publicKey];
    const message = toHex(encryptMemo(own, other, 77n, text));
    return { from: keyText(own.publicKey), to: keyText(other), nonce: 77, message };
  }
}

const keyText = (key: PublicKey): string => publicKeyToText(key, NETWORK.keyPrefix);

/** What the functions that run inside the browser use of it. */
declare const document: { querySelector(selector: string): { textContent: string } | null };

/** Waits until this is the heading, and gives all that is shown. */
export async function shows(page: Page, title: string): Promise<string> {
  await page.waitForFunction((text) => document.querySelector('main:not([aria-busy]) h1')?.textContent === text, title);
  return (await page.textContent('main')) ?? '';
}
