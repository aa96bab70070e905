import { ChainError, composeMessage, defineErrors, FAMILY, fill, plainData } from '../../base/errors.js';
import type { Json, JsonObject } from '../../codec/json.js';

export const DETAIL_ERRORS = defineErrors({
  wallet_bug: { kind: 'bug', ...FAMILY.unspecified, text: 'the wallet has met a bug of its own: ${what}' },
});

/** Characters, about, of the values that a refusal shows. */
const SHOWN_MAX = 8192;

export function asRefusal(error: unknown): ChainError {
  if (error instanceof ChainError) return error;
  return new ChainError(DETAIL_ERRORS.wallet_bug, { what: error instanceof Error ? error.message : String(error) });
}

function dataOf({ data }: ChainError): JsonObject {
  return plainData(data, { room: SHOWN_MAX }) as JsonObject;
}

/** What is said of a refusal; the text alone where its row has one. */
function textOf(error: ChainError): string {
  const { text, hint } = error.row;
  const plain = fill(text, dataOf(error));
  const named = error.path === '' ? plain : `${plain} (${error.path})`;
  return hint === undefined ? named : `${named}\n    ${fill(hint, dataOf(error))}`;
}

/** As the prompt prints it, and as programs find it in `message`: number, name and title, then what was wrong. */
export function detailText(error: ChainError): string {
  const { code, name, title, key } = error.row;
  return `${code} ${name}: ${title}\n${textOf(error)}\n    ${JSON.stringify(dataOf(error))}\n    trustnode ${key}\n`;
}

/** Of the two forms of the servers, the plain one shows in `message` what the prompt prints. */
export type ErrorForm = 'rpc' | 'http';

export interface FailedCall {
  readonly method: string;
  readonly params: Json;
  readonly form: ErrorForm;
}

/** The error object of an answer. */
export function errorJson(error: ChainError, call: FailedCall, nowMs: number): JsonObject {
  const { code, name, title, text, key, kind, hint } = error.row;
  const timestamp = new Date(nowMs).toISOString().slice(0, 19);
  const context = { file: 'trustnode', line: 0, method: key, hostname: '', thread_name: 'main', timestamp };
  const shown = plainData(call, { room: SHOWN_MAX }) as unknown as FailedCall;
  return {
    code: 1,
    message: call.form === 'rpc' ? composeMessage(error) : detailText(error),
    data: {
      code,
      name,
      message: title,
      stack: [
        { context: { level: 'error', ...context }, format: text, data: dataOf(error) },
        {
          context: { level: 'warn', ...context },
          format: '',
          data: { 'call.method': shown.method, 'call.params': shown.params },
        },
      ],
      key,
      kind,
      ...(hint === undefined ? {} : { hint: fill(hint, dataOf(error)) }),
    },
  };
}
