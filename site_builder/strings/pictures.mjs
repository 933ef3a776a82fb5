// The pictures of a figure, without its controls: each outermost <svg>, as markup that stands alone.

/** Every outermost picture of a drawn view, with the margins of the stage that it stands on. */
export function pictures(node, renderToString, margins = "") {
  if (Array.isArray(node)) {
    return node.flatMap((each) => pictures(each, renderToString, margins));
  }
  if (!node?.props) return [];
  const { class: name, style, children } = node.props;
  if (node.type !== "svg") {
    return pictures(children, renderToString, name === "qb-stage" ? style : margins);
  }
  withoutTight(node);
  const { height, viewBox, "aria-label": label = "" } = node.props;
  return [{ svg: renderToString(node), height, viewBox, label, margins }];
}

/** Take out what is drawn a second time for narrow pages, and paths of nothing: XML has no bare `d`. */
function withoutTight({ props }) {
  if (!props?.children) return;
  const drawn = (child) => child?.props?.class !== "qb-tight" && child?.props?.d !== "";
  props.children = [props.children].flat(Infinity).filter(drawn);
  for (const child of props.children) withoutTight(child ?? {});
}
