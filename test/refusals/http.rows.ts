import { contentAnswer } from '../../src/http/answers.js';
import { anyCaller } from '../../src/http/caller.js';
import { HTTP_ERRORS } from '../../src/http/errors.js';
import type { HttpRequest } from '../../src/http/handler.js';
import { readForm } from '../../src/http/multipart.js';
import { Router } from '../../src/http/router.js';
import { jsonBody, route } from '../../src/http/routes.js';
import { assertion, type Refusal } from './define.js';

/** Refusals of services that answer by routes. */

const request = (method: string, path: string, query = '', headers: Record<string, string> = {}): HttpRequest => ({
  method,
  path,
  query,
  caller: anyCaller('10.0.0.1'),
  connection: undefined,
  header: (name) => headers[name] ?? '',
});

const router = new Router(
  [
    route({
      method: 'POST',
      pattern: '/vote/:id',
      body: jsonBody({ fromJson: () => undefined }, 100),
      run: () => ({ status: 200, headers: [], body: '' }),
    }),
  ],
  {
    parseJson: () => null,
    refusal: (_request, _status, error) => {
      throw error;
    },
  },
);

async function* nothing(): AsyncGenerator<Uint8Array> {}

export const refusals: readonly Refusal[] = [
  assertion(HTTP_ERRORS.http_path, 'there is nothing at /votes', () => router.receive(request('GET', '/votes'))),
  assertion(HTTP_ERRORS.http_path_encoding, 'the path or the query is not UTF-8 in percent signs', () =>
    router.receive(request('POST', '/vote/%ff')),
  ),
  assertion(HTTP_ERRORS.http_method, '/vote/1 takes no GET, but POST', () => router.receive(request('GET', '/vote/1'))),
  assertion(HTTP_ERRORS.http_media_type, 'the body has to be of the type application/json', () =>
    router.receive(request('POST', '/vote/1', '', { 'content-type': 'text/plain' })),
  ),
  assertion(HTTP_ERRORS.http_query_twice, 'the query names a more than once', () =>
    router.receive(request('POST', '/vote/1', 'a=1&a=2')),
  ),
  assertion(HTTP_ERRORS.http_form, 'the body is no form: it ends before its last boundary', () =>
    readForm(nothing(), 'b', () => ({ write: () => undefined, end: () => undefined })),
  ),
  assertion(HTTP_ERRORS.http_range, 'the range lies outside of the 5 bytes that there are', () =>
    contentAnswer(request('GET', '/', '', { range: 'bytes=5-' }), {
      bytes: 5,
      type: 'text/plain',
      tag: 'x',
      async *read() {},
    }),
  ),
];
