import t from 'tap';
import { CHOICES } from './support/golden-choices.js';
import { labelOf, playRecording, recordings } from './support/play-golden.js';

/** Conversations in which a reference node got blocks and transactions: catching up, new items, branches. */

for (const file of recordings('bce')) {
  const why = CHOICES[labelOf(file)]?.why;
  t.test(why === undefined ? file : `${file} (${why})`, async (t) => playRecording(t, file));
}
