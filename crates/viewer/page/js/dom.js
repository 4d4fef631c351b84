// The element of the page with an id.
export function byId(id) {
  return document.getElementById(id);
}
