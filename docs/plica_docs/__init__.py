"""The static site: gallery, claims, reference and a page for lecturers, made of what the code says about itself."""
