// Licences and rights statements that people choose from, as records name them and people do.

const CREATIVE_COMMONS = ['by', 'by-sa', 'by-nc', 'by-nc-sa', 'by-nd', 'by-nc-nd'];
const STATEMENTS: Record<string, string> = {
  'InC': 'In Copyright',
  'InC-EDU': 'In Copyright - Educational Use Permitted',
  'InC-NC': 'In Copyright - Non-Commercial Use Permitted',
  'InC-RUU': 'In Copyright - Rights-holder(s) Unlocatable or Unidentifiable',
  'InC-OW-EU': 'In Copyright - EU Orphan Work',
  'NoC-NC': 'No Copyright - Non-Commercial Use Only',
  'NoC-CR': 'No Copyright - Contractual Restrictions',
  'NoC-OKLR': 'No Copyright - Other Known Legal Restrictions',
  'NoC-US': 'No Copyright - United States',
  'CNE': 'Copyright Not Evaluated',
  'UND': 'Copyright Undetermined',
  'NKC': 'No Known Copyright'
};

/** Names by URI. */
export const RIGHTS: ReadonlyMap<string, string> = new Map([
  ['http://creativecommons.org/publicdomain/mark/1.0/', 'Public Domain Mark 1.0'],
  ['http://creativecommons.org/publicdomain/zero/1.0/', 'CC0 1.0'],
  ...CREATIVE_COMMONS.map((name): [string, string] => [
    `http://creativecommons.org/licenses/${name}/4.0/`,
    `CC ${name.toUpperCase()} 4.0`
  ]),
  ...Object.entries(STATEMENTS).map(([name, title]): [string, string] => [
    `http://rightsstatements.org/vocab/${name}/1.0/`,
    title
  ])
]);

/** Return what people call a licence; its URI if that is not known here. */
export function rightsName(uri: string): string {
  return RIGHTS.get(uri) ?? uri;
}

/** Return the URI for what somebody typed; what is not known stays, and is found to be a fault. */
export function rightsUri(typed: string): string {
  const wanted = simplify(typed);
  for (const [uri, name] of RIGHTS) {
    if (wanted === simplify(uri) || wanted === simplify(name) || `${wanted}40` === simplify(name) || `${wanted}10` === simplify(name)) {
      return uri;
    }
  }
  return typed.trim();
}

function simplify(text: string): string {
  return text.toLowerCase().replace(/^https?:\/\/(www\.)?/, '').replace(/[^a-z0-9]/g, '');
}
