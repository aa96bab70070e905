import t from 'tap';
import { ALL_FORKS_ACTIVE, FORKS, type Fork, isActive, MAINNET_FORKS } from '../../../src/protocol/forks.js';

/**
 * The first second in which each rule is in force on the main network. Tests of the rules themselves take the moments
 * from the program; here they stand in numbers, as every node of the network has them.
 */
const FIRST_SECONDS: Readonly<Record<Fork, number>> = {
  HF_413: 1446652801,
  HF_415: 1446652801,
  HF_419: 1446652801,
  HF_453: 1450288801,
  HF_483: 1450378801,
  HF_538: 1456250400,
  HF_563: 1456250400,
  HF_572: 1456250400,
  HF_1001: 1506787200,
  HF_1003: 1509292800,
  HF_1002: 1509465601,
  HF_1004: 1524153600,
  HF_1005: 1524153601,
  HF_1006: 1534759201,
  HF_1008: 1541433601,
  HF_1010: 1545796801,
  HF_1011: 1545796801,
  HF_1012: 1545796801,
  HF_1129: 1545796801,
  HF_1015: 1546084801,
  HF_1013: 1553832001,
  HF_1016: 1553832001,
  HF_1017: 1553832001,
  HF_1019: 1553832001,
  HF_1020: 1553832001,
  HF_1021: 1553832001,
  HF_1022: 1585281601,
  HF_1023: 1585281601,
  HF_1024: 1585281601,
  HF_1024_SAME_CODE: 1585281600,
  HF_1025: 1585281601,
  HF_1026: 1585281601,
  HF_1027: 1585281601,
  HF_1028: 1585281601,
  HF_1029: 1608133198,
};

t.test('every fork of the main network comes in its second', async (t) => {
  const names = Object.keys(FIRST_SECONDS) as Fork[];
  t.same(Object.keys(FORKS).sort(), [...names].sort());
  for (const name of names) {
    const second = FIRST_SECONDS[name];
    const around = [second - 1, second, second + 1].map((time) => isActive(MAINNET_FORKS, name, time));
    t.same(around, [false, true, true], name);
    t.ok(isActive(ALL_FORKS_ACTIVE, name, 0), `${name} where all are in force from the beginning`);
  }
});
