import * as declared from '../../api/network.js';
import { check, defineErrors } from '../../base/errors.js';
import { implementApi, type RpcContext } from '../define.js';
import type { DebugPort } from '../ports.js';

export const DEBUG_API_ERRORS = defineErrors({
  debug_blocks_too_many: { kind: 'limit', text: 'at most ${limit} blocks in one request, not ${count}' },
  debug_off: { kind: 'limit', text: '_debug_api: ', hint: 'this node was started without the debug API' },
});

/** Blocks in one request: enough for any test, and a typing error does not run all night. */
const BLOCKS_MAX = 100_000;

export function checkBlockCount(count: number): void {
  check(count <= BLOCKS_MAX, DEBUG_API_ERRORS.debug_blocks_too_many, { limit: BLOCKS_MAX, count });
}

function debug({ node }: RpcContext): DebugPort {
  check(node.debug !== undefined, DEBUG_API_ERRORS.debug_off);
  return node.debug;
}

export const debugApi = implementApi(declared.debugApi, {
  debug_push_blocks: async (context, { src_filename, count }) => {
    checkBlockCount(count);
    await debug(context).pushBlocks(src_filename, count);
    return undefined;
  },
  debug_generate_blocks: async (context, { debug_key, count }) => {
    checkBlockCount(count);
    await debug(context).generateBlocks(debug_key, count);
    return undefined;
  },
  debug_update_object: (context, { update }): undefined => void debug(context).updateObject(update),
  debug_stream_json_objects: (context, { filename }): undefined => void debug(context).streamObjects(filename),
  debug_stream_json_objects_flush: (context): undefined => void debug(context).flushStream(),
});
