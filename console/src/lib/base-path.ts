/** The path the console is served under, with a slash at both ends. Everything it asks for lies below it. */
export const BASE_PATH = new URL(document.baseURI).pathname.replace(/[^/]*$/, '');

export const withBase = (path: string): string => BASE_PATH + path.replace(/^\//, '');
