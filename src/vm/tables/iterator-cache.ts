import { check, fail } from '../../base/errors.js';
import { TABLE_ERRORS } from './access.js';

/**
 * Numbers that a contract holds instead of rows: 0 and up for objects in the order of their first appearance, -1 for
 * nothing, -2 and down for the ends of tables. Numbers of removed objects are not given out again.
 */
export class IteratorCache {
  private readonly objects: (number | undefined)[] = [];
  private readonly iteratorOfObject = new Map<number, number>();
  private readonly tables: number[] = [];
  private readonly endOfTable = new Map<number, number>();

  /** End iterator of the table. */
  addTable(tableId: number): number {
    let end = this.endOfTable.get(tableId);
    if (end === undefined) {
      end = -(this.tables.push(tableId) + 1);
      this.endOfTable.set(tableId, end);
    }
    return end;
  }

  add(objectId: number): number {
    let iterator = this.iteratorOfObject.get(objectId);
    if (iterator === undefined) {
      iterator = this.objects.push(objectId) - 1;
      this.iteratorOfObject.set(objectId, iterator);
    }
    return iterator;
  }

  /** Id of the object; refuses every iterator that does not stand on one. */
  object(iterator: number): number {
    check(iterator !== -1, TABLE_ERRORS.contract_iterator_invalid);
    check(iterator >= 0, TABLE_ERRORS.contract_iterator_end);
    check(iterator < this.objects.length, TABLE_ERRORS.contract_iterator_range);
    return this.objects[iterator] ?? fail(TABLE_ERRORS.contract_iterator_deleted);
  }

  /** Id of the table whose end this is. */
  tableOfEnd(end: number): number {
    return this.tables[-end - 2] ?? fail(TABLE_ERRORS.contract_iterator_not_end);
  }

  remove(iterator: number): void {
    this.iteratorOfObject.delete(this.object(iterator));
    this.objects[iterator] = undefined;
  }
}
