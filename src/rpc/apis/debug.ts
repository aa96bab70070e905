import { check, defineErrors } from '../../base/errors.js';
import { text, u32 } from '../../codec/scalars.js';
import { api, method, type RpcContext } from '../define.js';
import type { DebugPort } from '../ports.js';
import { json, nothing } from '../types.js';

export const DEBUG_API_ERRORS = defineErrors({
  debug_off: { text: '_debug_api: this node was started without the debug API' },
  debug_unsupported: { text: '${method} is not supported by this node' },
});

/** Blocks in one request: enough for any test, and a typing error does not run all night. */
const BLOCKS_MAX = 100_000;

function debug({ node }: RpcContext): DebugPort {
  check(node.debug !== undefined, DEBUG_API_ERRORS.debug_off);
  return node.debug;
}

export const debugApi = api({
  name: 'debug',
  about: 'For tests on a chain of one’s own: makes blocks at once. Off unless the node was started with it.',
  methods: {
    debug_push_blocks: method({
      about: 'Pushes the next blocks from another block log.',
      params: { src_filename: text, count: u32 },
      result: nothing,
      waits: true,
      run: async (context, { src_filename, count }) => {
        await debug(context).pushBlocks(src_filename, Math.min(count, BLOCKS_MAX));
        return undefined;
      },
    }),
    debug_generate_blocks: method({
      about: 'Makes blocks for the next slots, signed with this key whoever is scheduled.',
      params: { debug_key: text, count: u32 },
      result: nothing,
      waits: true,
      run: async (context, { debug_key, count }) => {
        await debug(context).generateBlocks(debug_key, Math.min(count, BLOCKS_MAX));
        return undefined;
      },
    }),
    debug_update_object: method({
      about: 'Not supported: a state that no block explains could never be replayed.',
      params: { update: json },
      result: nothing,
      run: (context): undefined => {
        debug(context);
        check(false, DEBUG_API_ERRORS.debug_unsupported, { method: 'debug_update_object' });
      },
    }),
    debug_stream_json_objects: method({
      about: 'Not supported: use a subscription.',
      params: { filename: text },
      result: nothing,
      run: (context): undefined => {
        debug(context);
        check(false, DEBUG_API_ERRORS.debug_unsupported, { method: 'debug_stream_json_objects' });
      },
    }),
    debug_stream_json_objects_flush: method({
      about: 'Not supported: use a subscription.',
      params: {},
      result: nothing,
      run: (context): undefined => {
        debug(context);
        check(false, DEBUG_API_ERRORS.debug_unsupported, { method: 'debug_stream_json_objects_flush' });
      },
    }),
  },
});
