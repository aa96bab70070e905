/**
 * For a terminal: others have written parts of what is shown there, such as memos, and control characters would let them
 * move the cursor, hide lines, or write to the clipboard, marks of direction show an amount backwards. Line ends stay, as
 * the family's wallet shows them.
 */
export function visible(text: string): string {
  return text.replace(
    /[^\P{Cc}\n\t]|[\p{Bidi_Control}\u2028\u2029]/gu,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
