import t from 'tap';
import { ChainError } from '../../src/base/errors.js';
import type { HttpAnswer, HttpRequest } from '../../src/http/handler.js';
import { CHAIN_ERRORS } from '../../src/services/chain/errors.js';
import { refusalAnswer as desRefusal } from '../../src/services/des/answers.js';
import { refusalAnswer as gatewayRefusal } from '../../src/services/gateway/answers.js';
import { Budget } from '../../src/services/gateway/budget.js';
import { refusalAnswer as marketRefusal } from '../../src/services/market/answers.js';
import { refusalAnswer as storageRefusal } from '../../src/services/storage/answers.js';
import { FakeClock } from '../support/fake-clock.js';

/** What clients are told of a node that is away: not where it is. */

const url = 'https://node.example/rpc?key=hunter2';
const away = new ChainError(CHAIN_ERRORS.chain_unreachable, { url, why: `${url} does not answer` });
const request = { path: '/store' } as HttpRequest;
const budget = new Budget({ 'daily-budget': 1, 'address-daily-max': 1 }, new FakeClock());

for (const [service, answer, expected] of [
  ['exchange', desRefusal(500, away), { status: 504, body: /"code":"TIME_OUT","message":"the node of this exchange/ }],
  ['market', marketRefusal(request, 500, away), { status: 503, body: /1013.*"hint":"the node of this service/ }],
  ['gateway', gatewayRefusal(500, away, budget), { status: 503, body: /"msg":"the node of this service does not/ }],
  ['storage', storageRefusal(1, request, 500, away), { status: 200, body: /CHAIN_FAIL.*the node of this service/ }],
] as readonly [string, HttpAnswer, object][]) {
  t.test(service, async (t) => {
    t.match(answer, expected);
    t.notMatch(JSON.stringify(answer), /node\.example|hunter2/);
  });
}
