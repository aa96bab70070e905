import * as declared from '../../../api/contracts.js';
import { implement } from '../../define.js';

/** Notices come on the connection that asked for them. Over plain HTTP, where none stays, there is nothing to hear. */
export const subscriptionMethods = implement(declared.subscriptionMethods, {
  set_subscribe_callback: ({ services, handle }, { cb, notify_remove_create }) => {
    services.subscriptions.watchObjects(handle, cb, notify_remove_create);
    return undefined;
  },
  set_data_transaction_subscribe_callback: ({ services, handle }, { cb }) => {
    services.subscriptions.watchDataTransactions(handle, cb);
    return undefined;
  },
  set_data_transaction_products_subscribe_callback: ({ services, handle }, { cb, ids }) => {
    services.subscriptions.watchProducts(handle, cb, ids);
    return undefined;
  },
  set_pending_transaction_callback: ({ services, handle }, { cb }) => {
    services.subscriptions.watchPending(handle, cb);
    return undefined;
  },
  set_block_applied_callback: ({ services, handle }, { cb }) => {
    services.subscriptions.watchBlocks(handle, cb);
    return undefined;
  },
  cancel_all_subscriptions: ({ services, handle }) => {
    services.subscriptions.cancel(handle);
    return undefined;
  },
  unsubscribe_data_transaction_callback: ({ services, handle }) => {
    services.subscriptions.endDataTransactions(handle);
    return undefined;
  },
});
