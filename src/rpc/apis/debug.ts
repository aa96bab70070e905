import { check, defineErrors } from '../../base/errors.js';
import { text, u32 } from '../../codec/scalars.js';
import { api, method, type RpcContext } from '../define.js';
import type { DebugPort } from '../ports.js';
import { json, nothing } from '../types.js';

export const DEBUG_API_ERRORS = defineErrors({
  debug_blocks_too_many: { kind: 'limit', text: 'at most ${limit} blocks in one request, not ${count}' },
  debug_off: { kind: 'limit', text: '_debug_api: ', hint: 'this node was started without the debug API' },
});

/** Blocks in one request: enough for any test, and a typing error does not run all night. */
const BLOCKS_MAX = 100_000;

function checkCount(count: number): void {
  check(count <= BLOCKS_MAX, DEBUG_API_ERRORS.debug_blocks_too_many, { limit: BLOCKS_MAX, count });
}

function debug({ node }: RpcContext): DebugPort {
  check(node.debug !== undefined, DEBUG_API_ERRORS.debug_off);
  return node.debug;
}

export const debugApi = api({
  name: 'debug',
  isClosedToPages: true,
  about:
    'For tests on a chain of one’s own: makes blocks at once, changes objects. Off unless the node was started with it.',
  methods: {
    debug_push_blocks: method({
      about: 'Pushes the next blocks from another block log.',
      params: { src_filename: text, count: u32 },
      result: nothing,
      waits: true,
      run: async (context, { src_filename, count }) => {
        checkCount(count);
        await debug(context).pushBlocks(src_filename, count);
        return undefined;
      },
    }),
    debug_generate_blocks: method({
      about:
        'Makes blocks for the next slots, signed with this key where it is the witness’s own. An empty key stands for those of the option debug-private-key.',
      params: { debug_key: text, count: u32 },
      result: nothing,
      waits: true,
      run: async (context, { debug_key, count }) => {
        checkCount(count);
        await debug(context).generateBlocks(debug_key, count);
        return undefined;
      },
    }),
    debug_update_object: method({
      about:
        'Changes an object of the head block’s state: {id, _action, …} with write, update or delete. Without an action an id alone means delete, anything else write.',
      params: { update: json },
      result: nothing,
      waits: true,
      run: (context, { update }): undefined => void debug(context).updateObject(update),
    }),
    debug_stream_json_objects: method({
      about:
        'From now on writes every changed object as a line of JSON into a file of the folder debug in the data directory, and the number of every block in front of its changes. An empty name ends it.',
      params: { filename: text },
      result: nothing,
      waits: true,
      run: (context, { filename }): undefined => void debug(context).streamObjects(filename),
    }),
    debug_stream_json_objects_flush: method({
      about: 'Writes what the stream keeps back.',
      params: {},
      result: nothing,
      waits: true,
      run: (context): undefined => void debug(context).flushStream(),
    }),
  },
});
