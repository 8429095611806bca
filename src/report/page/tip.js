// A small window beside the pointer, or beside the element that has the focus.
function tipAt(text, x, y) {
  const tip = $("tip");
  tip.hidden = !text;
  if (!text)
    return;
  tip.textContent = text;
  tip.style.left = `${Math.min(x + 14, innerWidth - tip.offsetWidth - 8)}px`;
  tip.style.top = `${Math.max(4, Math.min(y + 14, innerHeight - tip.offsetHeight - 8))}px`;
}

// textOf: returns the text for an element, or null.
function tipOn(root, textOf) {
  root.addEventListener("pointermove", e => tipAt(textOf(e.target), e.clientX, e.clientY));
  root.addEventListener("pointerleave", () => tipAt(null));
  root.addEventListener("focusin", e => {
    const at = e.target.getBoundingClientRect();
    if (e.target.matches(":focus-visible"))
      tipAt(textOf(e.target), at.right, at.bottom);
  });
  root.addEventListener("focusout", () => tipAt(null));
}
