import { ChainError } from '../../base/errors.js';
import type { Clock, Logger, Random } from '../../base/world.js';
import { parseJson } from '../../codec/json.js';
import { resolveOptions } from '../../config/load.js';
import type { Client, HttpAnswer, HttpRequest, Intake, PartialHandler } from '../../http/handler.js';
import { Router } from '../../http/router.js';
import type { Gateway } from '../../services/gateway/gateway.js';
import type { DevAccount } from './dev-network.js';

/**
 * The gateway of a development chain, on the port of its RPC: SDKs register accounts there as they do elsewhere, and the
 * faucet pays. It is the gateway that `trustnode gateway` runs, in memory, begun by the first request.
 */

const PATHS = /^\/(?:account\/(?:register|conditions)$|invite\/)/;
const BODY_BYTES = 16_384;
/** There is no end to it. */
const BUDGET = 999_999_999_999_999;

export interface DevGatewayParts {
  /** Where the node answers, once it does. */
  url(): string | undefined;
  readonly faucet: DevAccount;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

interface Open {
  readonly router: Router;
  close(): Promise<void>;
}

export class DevGateway implements PartialHandler {
  readonly #parts: DevGatewayParts;
  #open: Promise<Open> | undefined;

  constructor(parts: DevGatewayParts) {
    this.#parts = parts;
  }

  receive(request: HttpRequest): Intake | undefined {
    if (!PATHS.test(request.path)) return undefined;
    return { body: 'bytes', bytesMax: BODY_BYTES, answer: (body, client) => this.#answer(request, body, client) };
  }

  async #answer(request: HttpRequest, body: Uint8Array, client: Client): Promise<HttpAnswer> {
    let open: Open;
    try {
      this.#open ??= this.#start();
      open = await this.#open;
    } catch (error) {
      // Whatever was missing may be there the next time.
      this.#open = undefined;
      if (!(error instanceof ChainError)) throw error;
      const text = JSON.stringify({ code: 'INTERNAL', msg: error.message });
      return { status: 503, headers: [['Content-Type', 'application/json']], body: text };
    }
    const intake = open.router.receive(request);
    if (intake.body === 'none') return intake.answer(client);
    if (intake.body === 'stream') throw new Error('no call of the gateway takes a stream');
    return intake.answer(body, client);
  }

  async #start(): Promise<Open> {
    const { clock, random, log, faucet } = this.#parts;
    // Loaded by those who register somebody: a start of the node does not wait for it.
    const { openGateway, openGatewayInMemory } = await import('../../services/gateway/gateway.js');
    const { GATEWAY_OPTIONS } = await import('../../services/gateway/options.js');
    const { Registry } = await import('prom-client');
    const given = {
      node: this.#parts.url() ?? '',
      account: faucet.name,
      'daily-budget': String(BUDGET),
      'premium-names': 'true',
    };
    const lines = new Map(Object.entries(given).map(([name, value]) => [name, [value]]));
    const options = resolveOptions(GATEWAY_OPTIONS, lines, new Map());
    const db = await openGatewayInMemory();
    let gateway: Gateway;
    try {
      gateway = await openGateway(options, { db, key: faucet.key, registry: new Registry() }, { clock, random, log });
    } catch (error) {
      await db.destroy();
      throw error;
    }
    gateway.start();
    const router = new Router(
      gateway.endpoints.flatMap(({ routes }) => routes),
      {
        parseJson,
        refusal: (_request, status, error) => gateway.refusal(status, error),
        cors: { origin: '*', headers: ['Content-Type'], exposed: ['Retry-After'] },
      },
    );
    const close = async (): Promise<void> => {
      await gateway.stop();
      await db.destroy();
    };
    return { router, close };
  }

  async close(): Promise<void> {
    const open = await this.#open?.catch(() => undefined);
    await open?.close();
  }
}
