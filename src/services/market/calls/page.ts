import { type Endpoint, endpoint } from '../../common/endpoint.js';
import type { MarketParts } from '../parts.js';
import { answersOf } from './docs.js';

/** What the page of the market has to know before anything else. */

export function pageCalls({ desk, options, asset, chain }: MarketParts): readonly Endpoint[] {
  const data = {
    asset: `1.3.${options['billing-asset']}`,
    symbol: asset.symbol,
    precision: asset.precision,
    timeZone: options['time-zone'],
    chainId: chain.id,
    keyPrefix: chain.keyPrefix,
    exchange: options['page-exchange'] ?? null,
    node: options['page-node'] ?? null,
    gateway: options['page-gateway'] ?? null,
    wallet: options['page-wallet'] ?? null,
  };
  return [
    endpoint({
      summary: 'Where and in what this market trades',
      about:
        'The asset of all prices, the chain, minutes that days are ahead of UTC, and under which addresses browsers reach exchange, node, gateway and their own wallet; null where the operator has named none.',
      methods: ['GET'],
      pattern: '/market/settings',
      answers: answersOf('The settings'),
      run: (context) => desk.forAll(context, async () => ({ data })),
    }),
  ];
}
