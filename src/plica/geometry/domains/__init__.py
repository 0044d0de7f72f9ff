"""Where to look: boxes, segments, paths, planes, polytopes, all of R^n, and their charts."""
