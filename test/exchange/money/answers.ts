import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { seal } from '../../services/support/packets.js';
import type { Behaviour, Question, SourceServer } from '../../services/support/source-server.js';
import type { Answering } from './plan.js';

/** Sources that answer as the buyer's own question says: rightly, wrongly, late, never, and something else every time. */

interface Wanted {
  readonly n: number;
  readonly how: Answering;
}

/** Later than the exchange waits. */
const LATE_MS = 30_000;

const wantedOf = ({ plain }: Question): Wanted => (JSON.parse(plain ?? '{}') as { params: Wanted }).params;

export function answering(): Behaviour {
  let turn = 0;
  const send = (answer: ServerResponse, body: unknown): void => {
    answer.setHeader('Content-Type', 'application/json');
    answer.end(JSON.stringify(body));
  };
  const dataFor = (question: Question, source: SourceServer, nonce: string): string => {
    // Asked twice, a dishonest one sells something else.
    const text = JSON.stringify({ n: wantedOf(question).n, turn: turn++ });
    return seal(source.wif, question.publicKey, nonce, text);
  };
  return async (question, answer, source) => {
    const own = String(Date.now() * 16 + (turn % 16));
    switch (wantedOf(question).how) {
      case 'data':
        return send(answer, { data: dataFor(question, source, question.nonce) });
      case 'own nonce':
        return send(answer, { success: true, data: dataFor(question, source, own), nonce: Number(own) });
      case 'nothing':
        answer.statusCode = 404;
        return send(answer, {});
      case 'cannot':
        return send(answer, { success: false });
      case 'broken':
        answer.end('{"data":');
        return;
      case 'base64':
        return send(answer, { data: 'bm8gaGV4IGF0IGFsbA==' });
      case 'hangs up':
        answer.destroy();
        return;
      case 'late':
        // No run waits for it at its end.
        await pause(LATE_MS, undefined, { ref: false });
        return send(answer, { data: dataFor(question, source, question.nonce) });
      case 'hangs':
        return;
    }
  };
}
