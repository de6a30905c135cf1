// What the site's publication says to the desk: where the API is, and who signs people in.

export interface Configuration {
  /** Address of the API, or its path at this host. */
  api: string;
  /** Of the OpenID Connect provider; without one, nobody signs in. */
  issuer?: string;
  client?: string;
  scope?: string;
}

export let configuration: Configuration = { api: '/api' };

/** Read the configuration that lies next to the desk. Throws Error. */
export async function loadConfiguration(): Promise<Configuration> {
  const answer = await fetch('/desk/config.json', { cache: 'no-cache' });
  if (!answer.ok) {
    throw new Error(`/desk/config.json: ${answer.status}`);
  }
  configuration = await answer.json();
  return configuration;
}

/** Return the whole address of a path of the API. */
export function apiAddress(path: string): string {
  return new URL(configuration.api.replace(/\/$/, '') + path, location.origin).href;
}
