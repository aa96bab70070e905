import { defineErrors, FAMILY } from '../base/errors.js';

/** Refusals of the RPC layer itself. The texts are those that clients of this chain family already look for. */
export const RPC_ERRORS = defineErrors({
  rpc_method_unknown: { text: "itr != _by_name.end(): no method with name '${name}'", hint: '${advice}' },
  rpc_api_unknown: {
    text: '_local_apis.size() > api_id: ',
    hint: 'this connection has no api with the id ${id}; the login API gives out ids',
  },
  rpc_api_ids: { kind: 'limit', text: 'a connection is given at most ${limit} api ids' },
  rpc_api_not_enabled: {
    kind: 'limit',
    text: '_${name}_api: ',
    hint: 'the ${name} API is not open to this connection; log in as a user whom api-access lets use it',
  },
  rpc_call_shape: {
    text: 'args.size() == 3 && args[2].is_array(): ',
    hint: 'call takes three parameters: an api, the name of a method and a list of arguments',
  },
  rpc_arguments_missing: { text: 'a0 != e: too few arguments passed to method', hint: '${method} takes ${takes}' },
  rpc_argument_missing: { text: 'the argument ${name} is missing; the method takes ${takes}' },
  rpc_argument_unknown: { text: 'there is no argument ${name}; the method takes ${takes}' },
  rpc_id_too_long: { kind: 'limit', text: 'an id has at most ${limit} characters' },
  rpc_reply_unknown: {
    text: 'await != _awaiting.end(): Unknown Response ID: ${id}',
    hint: 'a request names a method; what has none is taken for an answer to a question of this node',
  },
  rpc_not_an_object: { ...FAMILY.badCast, text: 'Invalid cast from ${type} to Object' },
  rpc_empty: { ...FAMILY.endOfInput, text: 'stringstream', hint: 'the request has no body' },
  rpc_batch_too_long: { kind: 'limit', text: 'a batch holds at most ${limit} requests, not ${count}' },
  rpc_batch_empty: { ...FAMILY.badCast, text: 'Invalid cast from array_type to Object: an empty batch' },
  rpc_reply_too_large: {
    kind: 'limit',
    text: 'the answer has ${bytes} bytes or more; this node sends at most ${limit}',
  },
  rpc_overloaded: { kind: 'limit', text: 'this node has ${count} requests under way and takes no more at the moment' },
  rpc_json_nodes: { kind: 'limit', text: 'a request holds at most ${limit} values' },
  rpc_json_text: { kind: 'limit', text: 'a text in a request has at most ${limit} bytes' },
  rpc_json_members: { kind: 'limit', text: 'an object in a request has at most ${limit} members' },
  rpc_queue_full: { kind: 'limit', text: 'this node has no room for another request at the moment; try again later' },
  rpc_foreign_page: {
    kind: 'limit',
    text: '${method} is not for pages in a browser; the option rpc-origin names those that may use it',
  },
  rpc_operator: {
    kind: 'limit',
    text: '${method} is for the operator: over the socket in the data directory, from this machine itself, or as a user whom api-access lets use ${method}',
  },
  rpc_starting: { kind: 'limit', text: 'this node is starting (${stage}); try again later' },
  rpc_internal: { kind: 'bug', code: 1, name: 'unhandled_exception', title: 'Internal error', text: '${what}' },
  rpc_connection_closed: { kind: 'limit', text: 'the connection was closed while its request was under way' },
});
