import t from 'tap';
import { resolveOptions } from '../../src/config/load.js';
import { systemClock } from '../../src/node/runtime/clock.js';
import { type Endpoint, jsonEndpoint } from '../../src/services/common/endpoint.js';
import { serviceOptions } from '../../src/services/common/options.js';
import { booleanOf, integerOf, listOf, objectOf, textOf } from '../../src/services/common/schema.js';
import { ServiceMetrics, serve } from '../../src/services/common/service.js';
import { lineOf } from '../support/dev-node.js';
import { MemoryLog } from '../support/memory-log.js';
import { serviceWorld } from './support/service-world.js';

/** Calls with a body of JSON: read by their declaration, described by it, open to the pages that are named. */

const OPTIONS = serviceOptions({ folder: 'unused', at: { host: '127.0.0.1', port: 0 } });
const NAMED = 'https://shop.example';

const call: Endpoint = jsonEndpoint({
  summary: 'Say it again',
  about: 'For the test.',
  method: 'POST',
  pattern: '/echo/:id',
  path: objectOf({ id: textOf({ wanted: 'an id', pattern: /^\d+$/, charsMax: 3 }) }),
  headers: objectOf({ 'X-Signature': textOf({ wanted: 'a signature', pattern: /^/, charsMax: 130 }) }),
  bytesMax: 100,
  body: objectOf({ on: booleanOf('on or off'), of: listOf(integerOf(0, 9, 'a digit'), 2) }),
  answers: { 200: { about: 'It' } },
  run: ({ path, body, raw, target, request }) => ({
    status: 200,
    headers: [],
    body: JSON.stringify({ path, body, bytes: raw.length, target, signature: request.header('x-signature') }),
  }),
});

const service = await serve(
  resolveOptions(OPTIONS, lineOf({ endpoint: '127.0.0.1:0' }), new Map()),
  {
    info: { title: 'Echo', about: 'Echo', prefixes: [] },
    endpoints: [call],
    metrics: new ServiceMetrics(),
    cors: { origin: [NAMED], headers: ['X-Signature'] },
    refusal: (_, status, error) => ({ status, headers: [], body: error.message }),
    notReady: () => undefined,
    warning: () => undefined,
  },
  serviceWorld(systemClock, new MemoryLog()),
);
t.teardown(() => service.close());

const post = async (body: string, headers: Record<string, string> = { 'Content-Type': 'application/json' }) => {
  const response = await fetch(`${service.url}/echo/7?a=b`, { method: 'POST', body, headers });
  return { status: response.status, text: await response.text(), headers: response.headers };
};

t.test('a body is read by its declaration', async (t) => {
  const body = '{"on": true, "of": [1, 2], "more": 1}';
  const good = await post(body, { 'Content-Type': 'application/json', 'X-Signature': 'ab' });
  t.same(JSON.parse(good.text), {
    path: { id: '7' },
    body: { on: true, of: [1, 2] },
    bytes: body.length,
    target: '/echo/7?a=b',
    signature: 'ab',
  });
  for (const [given, why] of [
    ['{"on": 1, "of": []}', 'on: it has to be true or false'],
    ['{"on": true, "of": [1, 2, 3]}', 'of: it has to be a list of at most 2'],
    ['{"on": true, "of": [1, 5247992605059325062]}', 'of[1]: it has to be a whole number from 0 to 9'],
    ['{"on": true}', 'of: it is missing'],
    ['[]', 'it has to be an object'],
  ] as const) {
    const { status, text } = await post(given);
    t.same([status, text], [400, why]);
  }
  t.equal((await post('{"on"')).status, 400, 'no JSON');
  t.equal((await post(body, { 'Content-Type': 'text/plain' })).status, 415, 'what a page sends without asking');
  t.ok([413, 400].includes((await post(`{"on": true, "of": [${' '.repeat(200)}]}`)).status), 'too long');
});

t.test('pages of the named origins, and of no others', async (t) => {
  for (const [origin, allowed] of [
    [NAMED, NAMED],
    ['https://other.example', null],
  ] as const) {
    const asked = await fetch(`${service.url}/echo/7`, { method: 'OPTIONS', headers: { Origin: origin } });
    t.equal(asked.headers.get('access-control-allow-origin'), allowed, `${origin} asks`);
    t.match(asked.headers.get('access-control-allow-headers'), /X-Signature/);
    const answer = await post('{}', { 'Content-Type': 'application/json', Origin: origin });
    t.equal(answer.headers.get('access-control-allow-origin'), allowed, `${origin} calls`);
    t.equal(answer.headers.get('vary'), 'Origin');
  }
});

t.test('the document tells of body and headers', async (t) => {
  const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as {
    paths: Record<string, { post: { parameters: { name: string; in: string }[]; requestBody: object } }>;
  };
  const operation = paths['/echo/{id}']?.post;
  t.same(
    operation?.parameters.map((one) => [one.in, one.name]),
    [
      ['path', 'id'],
      ['header', 'X-Signature'],
    ],
  );
  t.match(operation?.requestBody, {
    content: { 'application/json': { schema: { required: ['on', 'of'], properties: { of: { maxItems: 2 } } } } },
  });
});
