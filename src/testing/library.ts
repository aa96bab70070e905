/** What tests of contracts take of this package, as `trustnode/testing`. See docs/contracts/testing.md. */

export type { Client } from '../client/open-client.js';
export type { CallTrace, TracedAmount, TransferTrace } from './call-trace.js';
export { expectRefusal, Refusal } from './refusal.js';
export { startTestChain, type TestChain, type TestChainOptions, type TestFork } from './test-chain.js';
export type {
  CallOptions,
  CallResult,
  ContractFiles,
  InlineOperation,
  Made,
  RowsOptions,
  TestContract,
} from './test-contract.js';
