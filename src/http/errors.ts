import { defineErrors } from '../base/errors.js';

/** Refusals of what comes over HTTP and WebSocket, before anybody looks at what it means. */
export const HTTP_ERRORS = defineErrors({
  http_host: {
    kind: 'limit',
    text: 'this server is not known by the name in the Host header; the option ${option} gives it names',
  },
  http_host_missing: { text: 'a request needs a Host header' },
  http_rate: { kind: 'limit', text: 'too many requests from this address; try again later' },
  http_connections: { kind: 'limit', text: 'this server has no room for another connection' },
  http_request_size: { kind: 'limit', text: 'a request may have at most ${limit} bytes' },
  http_uploads: {
    kind: 'limit',
    text: 'this server has no room for another large request at the moment; try again later',
  },
  http_slow: { text: 'the request did not come in time' },
  http_gone: { text: 'the client has gone before its request was whole' },
  http_listen: {
    kind: 'environment',
    text: 'cannot listen on ${endpoint}: ${reason}',
    hint: 'name another port or address in the option for it, or stop what has this one, perhaps another node',
  },
  http_bug: { kind: 'bug', text: 'the server has met a bug of its own' },
  http_path: { text: 'there is nothing at ${path}' },
  http_path_encoding: { text: 'the path or the query is not UTF-8 in percent signs' },
  http_method: { text: '${path} takes no ${method}, but ${allowed}' },
  http_media_type: { text: 'the body has to be of the type ${wanted}' },
  http_query_twice: { text: 'the query names ${name} more than once' },
  http_form: { text: 'the body is no form: ${why}' },
  http_range: { text: 'the range lies outside of the ${bytes} bytes that there are' },
});
