import t from 'tap';
import { fromHex, toHex } from '../../../src/base/bytes.js';
import { ChainError } from '../../../src/base/errors.js';
import { decodeText } from '../../../src/codec/text.js';
import { isSchemaFlag, SCHEMA_JSON_ERRORS, schemaMember } from '../../../src/protocol/schema-json.js';
import { refused } from '../../support/refused.js';
import { readVectors } from '../../support/vectors.js';

interface Case {
  readonly text_hex: string;
  readonly refused?: true;
  readonly member_hex?: string;
}

const { cases } = readVectors<{ cases: readonly Case[] }>('schema-json.json');

const textOf = (hex: string): string => {
  const bytes = fromHex(hex);
  return decodeText(bytes, 0, bytes.length);
};

function outcome(text: string): string {
  try {
    return toHex(Uint8Array.from(schemaMember(text, 'privacy'), (char) => char.charCodeAt(0)));
  } catch (error) {
    if (error instanceof ChainError && error.row === SCHEMA_JSON_ERRORS.schema_json) return 'refused';
    throw error;
  }
}

t.test('each text means what the parser of the reference made of it', async (t) => {
  t.equal(cases.length, 100);
  for (const { text_hex, refused: isRefused, member_hex } of cases) {
    const text = textOf(text_hex);
    const name = text.length > 60 ? `${text.length} characters` : JSON.stringify(text);
    t.equal(outcome(text), isRefused === true ? 'refused' : member_hex, name);
  }
});

t.test('the flag', async (t) => {
  t.ok(isSchemaFlag('{"a":1,"copyright_verify":true}', 'copyright_verify'));
  t.ok(isSchemaFlag('{"copyright_verify":"true"}', 'copyright_verify'));
  t.notOk(isSchemaFlag('{"copyright_verify":"True"}', 'copyright_verify'));
  t.notOk(isSchemaFlag('{"privacy":true}', 'copyright_verify'));
  t.notOk(isSchemaFlag('{"a":[{"privacy":true}],"b":{"privacy":true}}', 'privacy'), 'members of members do not count');
  t.notOk(isSchemaFlag('{"privacy":[],"privacy":true}', 'privacy'), 'the first one counts, a container too');
  t.notOk(isSchemaFlag('{"privacy":{"b":1},"privacy":true}', 'privacy'));
});

t.test('any depth and any length, in time proportional to it', async (t) => {
  const depth = 1_000_000;
  const nested = `{"a":${'['.repeat(depth)}${']'.repeat(depth)},"privacy":true}`;
  t.ok(isSchemaFlag(nested, 'privacy'));
  refused(t, SCHEMA_JSON_ERRORS.schema_json, () => isSchemaFlag('['.repeat(depth), 'privacy'), 'open to the end');
  t.ok(isSchemaFlag(`{"a":"${'é\\n'.repeat(depth)}","privacy":"true"}`, 'privacy'));
});
