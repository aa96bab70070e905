import type { ChainError } from '../base/errors.js';
import type { HttpAnswer, HttpHandler, HttpRequest, Intake } from './handler.js';

/** What an operator's machines ask of any server: does it live, is it ready, what does it count. */

export interface StatusSource {
  /** Why it is not ready for clients, or undefined when it is. */
  notReady(): string | undefined;
  /** What the operator has to see to all the same, or undefined. */
  warning(): string | undefined;
  /** What it does before it serves clients; undefined from then on. */
  stage?(): string | undefined;
  readonly metrics: { readonly contentType: string; metrics(): Promise<string> };
}

const plainText = (status: number, body: string): HttpAnswer => ({
  status,
  headers: [['Content-Type', 'text/plain']],
  body,
});

/** Undefined: the path stands for nothing. */
export function statusAnswer(source: StatusSource, path: string): HttpAnswer | Promise<HttpAnswer> | undefined {
  switch (path) {
    case '/healthz': {
      // The process answers, so its loop turns: that is all that health means.
      const stage = source.stage?.();
      return plainText(200, stage === undefined ? 'ok\n' : `starting, ${stage}\n`);
    }
    case '/readyz': {
      const reason = source.notReady();
      const warning = source.warning();
      const more = warning === undefined ? '' : `warning: ${warning}\n`;
      return plainText(reason === undefined ? 200 : 503, `${reason ?? 'ready'}\n${more}`);
    }
    case '/metrics': {
      const { metrics } = source;
      return metrics.metrics().then(
        (body) => ({ status: 200, headers: [['Content-Type', metrics.contentType]], body }),
        (error: unknown) => plainText(500, `${String(error)}\n`),
      );
    }
    default:
      return undefined;
  }
}

/** The pages on a port of their own. Machines that ask for them use any name, and nobody counts how often. */
export class StatusHandler implements HttpHandler {
  readonly #source: StatusSource;

  constructor(source: StatusSource) {
    this.#source = source;
  }

  receive({ path }: HttpRequest): Intake {
    return {
      body: 'none',
      answer: () => statusAnswer(this.#source, path) ?? plainText(404, '/healthz, /readyz and /metrics are here\n'),
    };
  }

  refusal(_request: HttpRequest, status: number, error: ChainError): HttpAnswer {
    return plainText(status, `${error.message}\n`);
  }
}
