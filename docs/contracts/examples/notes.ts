// Notes with stars: a table with two secondary indexes, by stars and by author.
import { Table, check, now, print, printUnsigned, sender, TimePointSec } from "../kit";

const BY_STARS = 0;
const BY_AUTHOR = 1;

@table("note")
class Note {
  id: u64 = 0;
  author: u64 = 0;
  stars: u8 = 0;
  written: TimePointSec = 0;
  text: string = "";

  primaryKey(): u64 {
    return this.id;
  }

  @index
  byStars(): u64 {
    return this.stars;
  }

  @index
  byAuthor(): u64 {
    return this.author;
  }
}

@action
function write(text: string, stars: u8): void {
  check(stars <= 5, "at most five stars");
  const notes = new Table<Note>();
  const note = new Note();
  note.id = notes.nextId();
  note.author = sender();
  note.stars = stars;
  note.written = now();
  note.text = text;
  notes.insert(note, sender());
}

@action
function rate(id: u64, stars: u8): void {
  check(stars <= 5, "at most five stars");
  const notes = new Table<Note>();
  const note = notes.require(id, "no such note");
  check(note.author == sender(), "this is not your note");
  note.stars = stars;
  notes.update(note, sender());
}

@action
function erase(id: u64): void {
  const notes = new Table<Note>();
  check(notes.require(id, "no such note").author == sender(), "this is not your note");
  notes.remove(id);
}

/** Erases the caller's notes with fewer stars. */
@action
function tidy(stars: u8): void {
  const me = sender();
  for (let c = new Table<Note>().index(BY_STARS).first(); c.valid && c.row.stars < stars; ) {
    if (c.row.author == me) c.remove();
    else c.next();
  }
}

/** Prints the best notes. */
@action
function best(count: u32): void {
  let left = count;
  for (let c = new Table<Note>().index(BY_STARS).last(); c.valid && left > 0; c.previous()) {
    const note = c.row;
    printUnsigned(note.stars);
    print(" " + note.text + "\n");
    left--;
  }
}

/** Prints the ids of an author's notes. */
@action
function byauthor(author: u64): void {
  for (let c = new Table<Note>().index(BY_AUTHOR).from(author); c.valid && c.row.author == author; c.next()) {
    printUnsigned(c.id);
    print("\n");
  }
}
