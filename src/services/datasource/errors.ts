import { defineErrors, FAMILY } from '../../base/errors.js';

export const DATASOURCE_ERRORS = defineErrors({
  datasource_account_needed: {
    ...FAMILY.invalidArgument,
    text: 'the option account is needed: it is paid for the data',
  },
  datasource_key_needed: {
    ...FAMILY.invalidArgument,
    text: 'the active key of ${account} is needed: option key-file, or ${variable} in the environment',
  },
  datasource_products_needed: {
    ...FAMILY.invalidArgument,
    text: 'the option product is needed, once for each product that is sold',
  },
  datasource_ask_needed: {
    ...FAMILY.invalidArgument,
    text: 'one of the options ask and module is needed: it knows the data',
  },
  datasource_module: {
    ...FAMILY.invalidArgument,
    text: 'cannot use the module ${file}: ${why}',
  },
  datasource_stranger: { text: 'only the exchange may ask, and it signs its questions' },
  datasource_product: { text: 'the product ${product} is not sold here' },
  datasource_params: { text: '${name}: it has to be ${wanted}' },
  datasource_busy: { kind: 'limit', text: 'too many questions at once' },
  datasource_unknown: { kind: 'environment', text: 'it could not be found out: ${why}' },
});
