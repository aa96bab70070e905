import { defineOptions, maybe, type OptionKind } from '../../src/config/define.js';

/** As an address for WebSockets. */
const trustedNode: OptionKind<string> = {
  wanted: 'host:port, or an address that begins with ws:// or wss://',
  parse: (text) => {
    const url = /^wss?:\/\//.test(text) ? text : /^[^\s/]+:\d{1,5}$/.test(text) ? `ws://${text}` : undefined;
    return url !== undefined && URL.canParse(url) ? url : undefined;
  },
  format: (url) => url,
};

export const delayedOptions = defineOptions({
  'trusted-node': {
    kind: maybe(trustedNode),
    initial: undefined,
    help: 'RPC endpoint of the node whose irreversible blocks the plugin delayed_node fetches: host:port, ws:// or wss://.',
  },
});
