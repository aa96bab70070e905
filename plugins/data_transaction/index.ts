import { definePart } from '../../src/plugin/part.js';

/**
 * Configurations name it: it forgets finished data transactions. That is a rule of the network in which all nodes must
 * agree, so the chain does it whoever names the plugin; see data-transaction-lifetime.
 */
export default definePart({
  name: 'data_transaction',
  needs: {},
  plugin: { isDefault: true },
  open() {
    return { value: undefined };
  },
});
