/** All that a plugin in a folder of its own imports: `import { definePart } from 'trustnode/plugin'`. */

export { ChainError, check, defineErrors, fail } from '../base/errors.js';
export { array, optional as nullable } from '../codec/containers.js';
export { bool, i32, i64, text, u8, u16, u32, u64 } from '../codec/scalars.js';
export { struct } from '../codec/struct.js';
export { defineOptions, flag, integer, listOf, maybe, oneOf, pathOption, textOption } from '../config/define.js';
export { accountId, assetId, formatObjectId, parseObjectId } from '../protocol/ids.js';
export { operation } from '../protocol/operation-slot.js';
export { api, method } from '../rpc/define.js';
export { CHAIN_VIEW, FOLLOWERS, HISTORY_VIEW, PLUGIN_STORES } from './api.js';
export type { BlockPlace, FeedBlock, FeedOperation, Follower } from './follower.js';
export { definePart, optional } from './part.js';
export { checkAtHead, openStored, type StoredData, StoredFollower, type Taken } from './stored-follower.js';
