import t from 'tap';
import { CHOICES } from './support/golden-choices.js';
import { labelOf, playRecording, recordings } from './support/play-golden.js';

/** Conversations that a reference node had with a client: opening, serving, and everything that ends a connection. */

const files = recordings('ad');

t.test('all recordings are here', async (t) => {
  t.equal(files.length + recordings('bce').length, 87);
  t.same(
    Object.keys(CHOICES).filter((label) => ![...files, ...recordings('bce')].some((file) => labelOf(file) === label)),
    [],
    'every choice belongs to a recording',
  );
});

for (const file of files) {
  const why = CHOICES[labelOf(file)]?.why;
  t.test(why === undefined ? file : `${file} (${why})`, async (t) => playRecording(t, file));
}
