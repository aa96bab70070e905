import { check, defineErrors, FAMILY } from '../base/errors.js';

/** What the reference's library says of it. */
const NO_VALUE = 'bad lexical cast: source type value could not be interpreted as target';

export const TIME_ERRORS = defineErrors({
  time_text: {
    ...FAMILY.standard,
    title: NO_VALUE,
    text: `${NO_VALUE}: unable to convert ISO-formatted string to fc::time_point_sec`,
    hint: '${text} is no time such as 2020-12-16T16:00:00',
  },
});

const DAY_SEC = 86_400;
const EXTENDED = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d*)?$/;
const BASIC = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(?:\.\d*)?$/;

/** Days from 1970-01-01 in the proleptic Gregorian calendar; years are counted from March, so leap days come last. */
function daysFromCivil(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function civilFromDays(days: number): [year: number, month: number, day: number] {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return [yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day];
}

/** Nobody's transactions of one moment have many different times. */
let lastText: string | undefined;
let lastTime = 0;

/** Years 1400 to 9999, as the reference's calendar; the result wraps to 32 bits. */
export function timeFromText(text: string): number {
  if (text === lastText) return lastTime;
  const time = parsedTime(text);
  lastText = text;
  lastTime = time;
  return time;
}

function parsedTime(text: string): number {
  const match = EXTENDED.exec(text) ?? BASIC.exec(text);
  check(match !== null, TIME_ERRORS.time_text, { text });
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const days = daysFromCivil(year, month, day);
  const back = civilFromDays(days);
  const real = back[0] === year && back[1] === month && back[2] === day;
  check(real && year >= 1400 && hour < 24 && minute < 60 && second < 60, TIME_ERRORS.time_text, { text });
  return ((days * DAY_SEC + hour * 3600 + minute * 60 + second) % 2 ** 32) >>> 0;
}

const pad = (value: number, width: number): string => value.toString().padStart(width, '0');

export function timeToText(seconds: number): string {
  const days = Math.floor(seconds / DAY_SEC);
  const rest = seconds - days * DAY_SEC;
  const [year, month, day] = civilFromDays(days);
  const clock = `${pad(Math.floor(rest / 3600), 2)}:${pad(Math.floor(rest / 60) % 60, 2)}:${pad(rest % 60, 2)}`;
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}T${clock}`;
}
