// Records of objects and collections as the API has them (docs/reference/objects.md). What the desk
// does not edit stays in them as it came.

/** Texts by language, `none` for those without. */
export type Texts = Record<string, string[]>;

export interface Statement {
  label: Texts;
  value: Texts;
  facet?: boolean;
}

export interface Canvas {
  image?: string;
  elsewhere?: { address: string; width: number; height: number; thumbnail?: string };
  label?: Texts;
  alt_text?: Texts;
  description?: Texts;
  text?: string;
}

interface Description {
  identifier: string;
  label: Texts;
  summary?: Texts;
  part_of?: string[];
  thumbnail?: string;
  metadata?: Statement[];
  rights?: string;
  required_statement?: Statement;
}

export interface ObjectRecord extends Description {
  type: 'object';
  canvases: Canvas[];
}

export interface Member {
  identifier: string;
  label: Texts;
  is_collection?: boolean;
  image?: string;
  line?: string;
}

export interface CollectionRecord extends Description {
  type: 'collection';
  members?: Member[];
  access?: string;
}

export type AnyRecord = ObjectRecord | CollectionRecord;

/** A fault of a record, and its place in it, such as `metadata[2].value`. */
export interface Fault {
  place: string;
  reason: string;
}
