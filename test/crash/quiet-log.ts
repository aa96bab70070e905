import type { Logger } from '../../src/base/world.js';

export const quietLog: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => quietLog };
