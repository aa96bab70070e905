import { defineErrors, fail } from '../../base/errors.js';
import { host } from './define.js';
import { decodeText } from './text.js';

export const SYSTEM_ERRORS = defineErrors({
  contract_abort: { text: 'false: abort() called' },
  contract_assert_message: {
    code: 3070008,
    name: 'graphene_assert_message_exception',
    title: 'graphene_assert_message assertion failure',
    text: 'assertion failure with message: ${s}',
  },
  contract_assert_code: {
    code: 3070009,
    name: 'graphene_assert_code_exception',
    title: 'graphene_assert_code assertion failure',
    text: 'assertion failure with error code: ${error_code}',
  },
});

/** Unwinds the contract; the action has succeeded. Not an Error: it needs no stack and nobody must report it. */
export class ContractExit {}
const EXIT = new ContractExit();

export const SYSTEM_FUNCTIONS = [
  host('abort', '>', 0, () => fail(SYSTEM_ERRORS.contract_abort)),
  host('graphene_assert', 'i Z >', 0, (call, condition: number, message: number) => {
    if (condition === 0) fail(SYSTEM_ERRORS.contract_assert_message, { s: decodeText(call.memory.text(message)) });
  }),
  host('graphene_assert_message', 'i P >', 0, (call, condition: number, pointer: number, length: number) => {
    if (condition !== 0) return;
    fail(SYSTEM_ERRORS.contract_assert_message, { s: decodeText(call.memory.slice(pointer, length)) });
  }),
  host('graphene_assert_code', 'i I >', 0, (_call, condition: number, code: bigint) => {
    if (condition === 0) fail(SYSTEM_ERRORS.contract_assert_code, { error_code: BigInt.asUintN(64, code) });
  }),
  host('graphene_exit', 'i >', 0, () => {
    throw EXIT;
  }),
];
