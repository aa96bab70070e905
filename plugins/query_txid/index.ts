import { definePart } from '../../src/plugin/part.js';

/**
 * Configurations name it: it finds transactions by their id. Every node does, by an index that storage keeps (see
 * query-txid-path); this plugin adds nothing to it.
 */
export default definePart({
  name: 'query_txid',
  needs: {},
  plugin: { isDefault: false },
  open({ log }) {
    log.info('transactions are found by their id, as on every node');
    return { value: undefined };
  },
});
