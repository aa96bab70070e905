import { Counter, Gauge, type Registry } from 'prom-client';
import type { Payments } from './payments.js';

/** How payments stand, and how often which refusal came. */
export function paymentMetrics(registry: Registry, payments: () => Payments): Counter<'reason'> {
  new Gauge({
    name: 'trustnode_payments',
    help: 'Payments by state; those that are lost need the operator',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      this.reset();
      for (const { state, count } of await payments().counts()) this.set({ state }, count);
    },
  });
  return new Counter({
    name: 'trustnode_payment_refusals_total',
    help: 'Payments that the node has refused, by reason; fee means that the account cannot pay the fees of the chain',
    labelNames: ['reason'],
    registers: [registry],
  });
}
