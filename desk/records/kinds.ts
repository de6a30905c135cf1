// Objects and collections share one space of identifiers.
import { Refused } from '../api/client';
import { type Kind, getHistory, getObject } from '../api/operations';

/** Return what an identifier is of, also of what is withdrawn. Throws Refused. */
export async function findKind(name: string): Promise<Kind> {
  const { body } = await getHistory(name, 0);
  const described = body.entries.find(({ state }) => state === 'described');
  try {
    if (described) {
      await getObject(name, described.revision);
    }
    return 'objects';
  } catch (error) {
    if (error instanceof Refused && error.code === 'no-object') {
      return 'collections';
    }
    throw error;
  }
}
