/** Returns the address of a link. The token stands in the fragment, which browsers send to nobody and no log can see. */
export function setUpUrl(consoleBase: string, token: string): string {
  return `${consoleBase}/console/set-up#${token}`;
}
