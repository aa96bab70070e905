/** What contracts print is anybody's text: nothing of it may steer a terminal or begin a line of its own. */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/** A letter by the numbers of its units, as JSON too may write it. */
export const byNumber = (letter: string): string =>
  letter
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

/** A text of strangers, for a log. */
export const harmless = (text: string): string => text.replace(CONTROLS, byNumber);

/** What a contract has printed, line by line. */
export const harmlessLines = (printed: string): string[] => printed.replace(/\n$/, '').split('\n').map(harmless);
